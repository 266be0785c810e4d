/* SPDX-License-Identifier: MIT */
/* PNG files that are cut off, damaged or hostile: refused with a reason, in bounded time and memory. */
#include <sys/resource.h>
#include <time.h>

#include "core/error.h"
#include "core/image/image-io.h"
#include "tests/image/format-steps.h"
#include "tests/support/cases.h"
#include "tests/support/image-files.h"
#include "tests/support/png-peer.h"

static GBytes *
small_file(void)
{
  g_autoptr(GBytes) exif = g_bytes_new("II*\0\010\0\0\0\0\0\0\0\0\0", 14);
  g_autoptr(MsMetadata) metadata = ms_metadata_new(NULL, exif, 3000, 3000);
  g_autoptr(MsImage) image = ms_test_image_random(9, 8, 3, FALSE, metadata);

  return ms_test_encode(image, MS_IMAGE_FORMAT_PNG);
}

static void
assert_right_pixels(MsImage *image)
{
  g_autoptr(MsImage) right = ms_test_image_random(9, 8, 3, FALSE, NULL);

  g_assert_cmpmem(ms_image_get_pixels(image), ms_image_get_byte_size(image), ms_image_get_pixels(right),
                  ms_image_get_byte_size(right));
}

/* Whatever bit is wrong, the file is refused or has its pixels: no pixel depends on the resolution in pHYs. */
static void
test_every_bit(void)
{
  g_autoptr(GBytes) file = small_file();
  const gsize of_resolution = 4 + 9 + 4; /* its name, its content and its checksum */

  g_assert_cmpuint(format_flip_every_bit(file, assert_right_pixels), >=, 8 * (g_bytes_get_size(file) - of_resolution));
}

static void
test_every_length(void)
{
  g_autoptr(GBytes) file = small_file();

  ms_test_assert_cut_refused(file, 0, 1);
}

/* The checksum over the pixels themselves is wrong while that of the chunk is right. */
static void
test_wrong_adler(void)
{
  static const guint8 pixels[] = {0x78, 0x01, 0x01, 0x02, 0x00, 0xfd, 0xff, 0x00, 0x80, 0x00, 0x82, 0x00, 0x81};

  for (int wrong = 0; wrong < 2; wrong++) {
    GByteArray *file = ms_test_png_begin(1, 1, 8, PNG_COLOR_TYPE_GRAY);
    g_autofree guint8 *copy = g_memdup2(pixels, sizeof pixels);
    copy[12] += wrong;
    ms_test_png_append(file, "IDAT", copy, sizeof pixels);
    ms_test_png_append(file, "IEND", NULL, 0);
    g_autoptr(GBytes) bytes = g_byte_array_free_to_bytes(file);
    if (wrong) {
      ms_test_assert_refused(bytes, MS_ERROR_FORMAT);
    } else {
      g_autoptr(MsImage) image = ms_test_decode(bytes);
      g_assert_cmpint(ms_image_get_pixels(image)[0], ==, 128);
    }
  }
}

static void
check_header(guint32 width, guint32 height, int depth, int colour_type, int code)
{
  GByteArray *file = ms_test_png_begin(width, height, depth, colour_type);

  ms_test_png_append(file, "IDAT", "\x78\x9c\x63\0\0\0\1\0\1", 9);
  ms_test_png_append(file, "IEND", NULL, 0);
  g_autoptr(GBytes) bytes = g_byte_array_free_to_bytes(file);
  ms_test_assert_refused(bytes, code);
}

static glong
most_memory_kib(void)
{
  struct rusage usage;

  g_assert_cmpint(getrusage(RUSAGE_SELF, &usage), ==, 0);
  return usage.ru_maxrss;
}

static void
test_lying_headers(void)
{
  glong before = most_memory_kib();

  check_header(0, 5, 8, 6, MS_ERROR_FORMAT);
  check_header(5, 0, 8, 6, MS_ERROR_FORMAT);
  check_header(1u << 31, 1, 8, 6, MS_ERROR_FORMAT);
  check_header(G_MAXUINT32, G_MAXUINT32, 8, 6, MS_ERROR_FORMAT);
  check_header(G_MAXINT32, G_MAXINT32, 16, 6, MS_ERROR_TOO_LARGE);
  check_header(32768, 32769, 8, 6, MS_ERROR_TOO_LARGE);
  check_header(31622, 31622, 16, 6, MS_ERROR_FORMAT);
  check_header(30000, 30000, 1, 0, MS_ERROR_FORMAT);
  check_header(1000000000, 1, 8, 6, MS_ERROR_FORMAT);
  check_header(1, 1000000000, 8, 6, MS_ERROR_FORMAT);
  check_header(1000001, 1, 8, 6, MS_ERROR_FORMAT);
  g_assert_cmpint(most_memory_kib() - before, <, 128 << 10);
}

static void
test_limit_is_settable(void)
{
  format_assert_pixel_limit(MS_IMAGE_FORMAT_PNG);
}

static void
test_suite_corrupt(void)
{
  ms_test_assert_folder_refused("pngsuite/corrupt", ".png", FALSE);
}

static void
test_truncated(void)
{
  ms_test_assert_folder_refused("hostile/truncated", ".png", FALSE);
}

/* Loads valid small files and refuses the rest, always in little time and memory. */
static void
check_bounded(const char *name)
{
  g_autofree char *folder = ms_test_pictures_folder(name);
  MsImageLimits limits = ms_image_limits_default();
  glong before = most_memory_kib();
  clock_t start = clock();

  if (!folder)
    return;
  limits.max_pixels = 4000000;
  g_autoptr(GPtrArray) paths = ms_test_list_files(folder, ".png");
  for (guint i = 0; i < paths->len; i++) {
    const char *path = g_ptr_array_index(paths, i);
    g_autofree char *base = g_path_get_basename(path);
    gboolean too_large = g_str_has_prefix(base, "valid_20000") || g_str_has_prefix(base, "valid_30000");
    gboolean sound = !too_large && !g_str_has_prefix(base, "hdr_") && !g_str_has_prefix(base, "zero_") &&
                     !g_str_equal(base, "empty.png") && !g_str_equal(base, "sig_only.png") &&
                     !g_str_equal(base, "text.png");
    g_autoptr(GError) error = NULL;
    g_autoptr(MsImage) image = ms_image_load(path, &limits, NULL, &error);
    g_test_message("%s: %s", base, error ? error->message : "loaded");
    g_assert_true((image != NULL) == sound);
    g_assert_true((error == NULL) == sound);
    if (too_large)
      g_assert_error(error, MS_ERROR, MS_ERROR_TOO_LARGE);
  }
  g_assert_cmpint(most_memory_kib() - before, <, 128 << 10);
  g_assert_cmpint(clock() - start, <, 20 * CLOCKS_PER_SEC);
}

static void
test_bombs(void)
{
  check_bounded("hostile/bombs");
}

static void
test_edge(void)
{
  check_bounded("hostile/edge");
}

void
ms_test_png_damaged(void)
{
  g_test_add_func("/png-damaged/every-bit", test_every_bit);
  g_test_add_func("/png-damaged/every-length", test_every_length);
  g_test_add_func("/png-damaged/wrong-adler", test_wrong_adler);
  g_test_add_func("/png-damaged/lying-headers", test_lying_headers);
  g_test_add_func("/png-damaged/limit-is-settable", test_limit_is_settable);
  g_test_add_func("/png-damaged/suite-corrupt", test_suite_corrupt);
  g_test_add_func("/png-damaged/truncated", test_truncated);
  g_test_add_func("/png-damaged/bombs", test_bombs);
  g_test_add_func("/png-damaged/edge", test_edge);
}
