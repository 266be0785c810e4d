/* SPDX-License-Identifier: MIT */
/* JPEG files that are cut off, damaged or hostile: refused with a reason, in bounded time and memory. */
#include <string.h>
#include <time.h>

#include "core/error.h"
#include "core/image/image-io.h"
#include "tests/support/cases.h"
#include "tests/support/image-files.h"

static void
test_every_length(void)
{
  g_autoptr(MsImage) image = ms_test_image_smooth(64, 48, NULL);
  g_autoptr(GBytes) file = ms_test_encode(image, MS_IMAGE_FORMAT_JPEG);

  ms_test_assert_cut_refused(file, 0, 1);
}

static void
test_trailing_bytes(void)
{
  g_autoptr(MsImage) image = ms_test_image_smooth(64, 48, NULL);
  g_autoptr(GBytes) file = ms_test_encode(image, MS_IMAGE_FORMAT_JPEG);
  GByteArray *longer = g_byte_array_new();

  g_byte_array_append(longer, g_bytes_get_data(file, NULL), g_bytes_get_size(file));
  g_byte_array_append(longer, (const guint8 *)"another picture may follow", 26);
  g_autoptr(GBytes) bytes = g_byte_array_free_to_bytes(longer);
  g_autoptr(MsImage) a = ms_test_decode(file);
  g_autoptr(MsImage) b = ms_test_decode(bytes);
  ms_test_assert_same_image(a, b);
}

/* An end-of-image marker in the middle of the only scan: the file is complete in form, the picture is not. */
static void
test_early_end(void)
{
  g_autoptr(MsImage) image = ms_test_image_random(64, 64, 8, TRUE, NULL);
  g_autoptr(GBytes) file = ms_test_encode(image, MS_IMAGE_FORMAT_JPEG);
  gsize half = g_bytes_get_size(file) / 2;
  GByteArray *cut = g_byte_array_new();

  g_byte_array_append(cut, g_bytes_get_data(file, NULL), half);
  g_byte_array_append(cut, (const guint8 *)"\xff\xd9", 2);
  g_autoptr(GBytes) bytes = g_byte_array_free_to_bytes(cut);
  ms_test_assert_refused(bytes, MS_ERROR_FORMAT);
}

static GBytes *
lying_file(guint sof, guint width, guint height)
{
  g_autoptr(MsImage) image = ms_test_image_smooth(8, 8, NULL);
  g_autoptr(GBytes) file = ms_test_encode(image, MS_IMAGE_FORMAT_JPEG);
  gsize size = g_bytes_get_size(file);
  guint8 *copy = g_memdup2(g_bytes_get_data(file, NULL), size);

  for (gsize i = 2; i + 9 < size; i++)
    if (copy[i] == 0xff && copy[i + 1] == 0xc0) {
      const guint8 sides[4] = {height >> 8, height & 0xff, width >> 8, width & 0xff};
      copy[i + 1] = sof;
      memcpy(copy + i + 5, sides, 4);
      return g_bytes_new_take(copy, size);
    }
  g_assert_not_reached();
}

static void
test_lying_headers(void)
{
  static const struct {
    guint width, height;
    int code;
  } table[] = {
    {0, 8, MS_ERROR_FORMAT},
    {8, 0, MS_ERROR_FORMAT},
    {65535, 1, MS_ERROR_TOO_LARGE},
    {1, 65535, MS_ERROR_TOO_LARGE},
    {65535, 65535, MS_ERROR_TOO_LARGE},
    {65500, 65500, MS_ERROR_TOO_LARGE},
    {31600, 31600, MS_ERROR_FORMAT},
    {6000, 5000, MS_ERROR_FORMAT},
  };

  for (gsize i = 0; i < G_N_ELEMENTS(table); i++)
    for (guint sof = 0xc0; sof <= 0xc2; sof++) {
      g_autoptr(GBytes) file = lying_file(sof, table[i].width, table[i].height);
      ms_test_assert_refused(file, table[i].code);
    }
}

/* Must not crash, and whatever is refused is refused with a sentence. */
static void
test_crash(void)
{
  g_autofree char *folder = ms_test_pictures_folder("jpeg-reference/crashtest");

  if (!folder)
    return;
  g_autoptr(GPtrArray) paths = ms_test_list_files(folder, ".jpg");
  for (guint i = 0; i < paths->len; i++) {
    g_autoptr(GError) error = NULL;
    g_autoptr(MsImage) image = ms_image_load(g_ptr_array_index(paths, i), NULL, NULL, &error);
    g_test_message("%s", error ? error->message : "loaded");
    g_assert_true((image == NULL) == (error != NULL));
    g_assert_true(!error || error->domain == MS_ERROR);
  }
}

static void
test_truncated(void)
{
  ms_test_assert_folder_refused("hostile/truncated", ".jpg", TRUE);
}

static void
test_bombs(void)
{
  clock_t start = clock();

  ms_test_assert_folder_refused("hostile/bombs", ".jpg", TRUE);
  g_assert_cmpint(clock() - start, <, 10 * CLOCKS_PER_SEC);
}

void
ms_test_jpeg_damaged(void)
{
  g_test_add_func("/jpeg-damaged/every-length", test_every_length);
  g_test_add_func("/jpeg-damaged/trailing-bytes", test_trailing_bytes);
  g_test_add_func("/jpeg-damaged/early-end", test_early_end);
  g_test_add_func("/jpeg-damaged/lying-headers", test_lying_headers);
  g_test_add_func("/jpeg-damaged/crash", test_crash);
  g_test_add_func("/jpeg-damaged/truncated", test_truncated);
  g_test_add_func("/jpeg-damaged/bombs", test_bombs);
}
