/* SPDX-License-Identifier: MIT */
/* Damaged files: refused unless the limits accept them, and then loaded as far as they can be read. */
#include <string.h>

#include "core/error.h"
#include "core/image/codec.h"
#include "core/image/image-io.h"
#include "tests/support/cases.h"
#include "tests/support/image-files.h"

#define WIDTH 160
#define HEIGHT 120

static MsImage *
load(GBytes *file, gboolean accept, GError **error)
{
  MsImageLimits limits = ms_image_limits_default();

  limits.accept_damaged = accept;
  return ms_image_load_bytes(file, "x", &limits, NULL, error);
}

/* Reads the rows one by one, as a batch with little memory does; NULL for a format that is not stored by rows. */
static GBytes *
load_rows(GBytes *file, gboolean *damaged)
{
  MsImageLimits limits = ms_image_limits_default();
  g_autoptr(GError) error = NULL;

  limits.accept_damaged = TRUE;
  g_autoptr(MsImageFile) rows = ms_image_file_open_bytes(file, "x", &limits, NULL, &error);
  if (rows)
    ms_image_file_start_rows(rows, &error);
  if (g_error_matches(error, MS_ERROR, MS_ERROR_UNSUPPORTED))
    return NULL;
  g_assert_no_error(error);
  g_autofree guint8 *pixels = g_malloc(WIDTH * HEIGHT * 4);
  for (int y = 0; y < HEIGHT; y++) {
    g_assert_true(ms_image_file_rows(rows, pixels + y * WIDTH * 4, 1, &error));
    g_assert_no_error(error);
  }
  *damaged = ms_image_file_get_damage(rows) != NULL;
  return g_bytes_new_take(g_steal_pointer(&pixels), WIDTH * HEIGHT * 4);
}

/* The first rows that both images share. */
static int
count_same_rows(MsImage *a, MsImage *b)
{
  int y = 0;

  while (y < HEIGHT &&
         memcmp(ms_image_get_pixels(a) + y * WIDTH * 4, ms_image_get_pixels(b) + y * WIDTH * 4, WIDTH * 4) == 0)
    y++;
  return y;
}

static void
assert_refused(GBytes *file)
{
  g_autoptr(GError) error = NULL;

  g_assert_null(load(file, FALSE, &error));
  g_assert_error(error, MS_ERROR, MS_ERROR_FORMAT);
}

/* Strictly refused; else loaded with its damage, the first @least rows as in the whole image, and the same by rows. */
static MsImage *
assert_accepted(GBytes *file, MsImage *whole, int least)
{
  g_autoptr(GError) error = NULL;
  gboolean damaged = FALSE;

  assert_refused(file);
  MsImage *image = load(file, TRUE, &error);
  g_assert_no_error(error);
  g_assert_nonnull(ms_image_get_damage(image));
  g_assert_cmpint(ms_image_get_height(image), ==, HEIGHT);
  g_assert_cmpint(count_same_rows(image, whole), >=, least);
  g_autoptr(GBytes) rows = load_rows(file, &damaged);
  if (rows) {
    g_autoptr(GBytes) pixels = g_bytes_ref(ms_image_get_bytes(image));
    g_assert_true(g_bytes_equal(rows, pixels));
    g_assert_true(damaged);
  }
  return image;
}

static void
test_undamaged(gconstpointer data)
{
  g_autoptr(MsImage) image = ms_test_image_smooth(WIDTH, HEIGHT, NULL);
  g_autoptr(GBytes) file = ms_test_encode(image, GPOINTER_TO_INT(data));
  g_autoptr(MsImage) strict = load(file, FALSE, NULL);
  g_autoptr(MsImage) accepted = load(file, TRUE, NULL);

  ms_test_assert_same_image(strict, accepted);
  g_assert_null(ms_image_get_damage(accepted));
}

/* The file ends after a part of its bytes: most rows before the cut are those of the whole file. */
static void
test_cut(gconstpointer data)
{
  g_autoptr(MsImage) image = ms_test_image_random(WIDTH, HEIGHT, 7, TRUE, NULL);
  g_autoptr(GBytes) file = ms_test_encode(image, GPOINTER_TO_INT(data));
  g_autoptr(MsImage) whole = load(file, FALSE, NULL);
  gsize size = g_bytes_get_size(file);

  for (int tenths = 5; tenths < 10; tenths++) {
    g_autoptr(GBytes) cut = g_bytes_new_from_bytes(file, 0, size * tenths / 10);
    g_autoptr(MsImage) found = assert_accepted(cut, whole, HEIGHT * (tenths - 3) / 10);
    g_assert_cmpint(count_same_rows(found, whole), <, HEIGHT);
  }
}

/* Without a row there is nothing to keep. */
static void
test_nothing_left(gconstpointer data)
{
  g_autoptr(MsImage) image = ms_test_image_random(WIDTH, HEIGHT, 7, TRUE, NULL);
  g_autoptr(GBytes) file = ms_test_encode(image, GPOINTER_TO_INT(data));

  for (gsize size = 1; size < 40; size++) {
    g_autoptr(GBytes) cut = g_bytes_new_from_bytes(file, 0, size);
    g_autoptr(GError) error = NULL;
    g_assert_null(load(cut, TRUE, &error));
    g_assert_error(error, MS_ERROR, MS_ERROR_FORMAT);
  }
}

static GBytes *
with_byte_flipped(GBytes *file, gsize at)
{
  gsize size = g_bytes_get_size(file);
  guint8 *copy = g_memdup2(g_bytes_get_data(file, NULL), size);

  copy[at] ^= 0x55;
  return g_bytes_new_take(copy, size);
}

/* Every pixel is right where only the checksum of a chunk is wrong. */
static void
test_wrong_checksum(void)
{
  g_autoptr(MsImage) image = ms_test_image_smooth(WIDTH, HEIGHT, NULL);
  g_autoptr(GBytes) file = ms_test_encode(image, MS_IMAGE_FORMAT_PNG);
  gsize end = ms_test_png_find(file, "IEND");
  g_autoptr(GBytes) flipped = with_byte_flipped(file, end - 2);
  g_autoptr(MsImage) whole = load(file, FALSE, NULL);
  g_autoptr(MsImage) found = assert_accepted(flipped, whole, HEIGHT);

  g_assert_nonnull(strstr(ms_image_get_damage(found), "CRC"));
}

/* Bytes in the middle are wrong: what comes before them is right. */
static void
test_wrong_bytes(gconstpointer data)
{
  g_autoptr(MsImage) image = ms_test_image_random(WIDTH, HEIGHT, 3, TRUE, NULL);
  g_autoptr(GBytes) file = ms_test_encode(image, GPOINTER_TO_INT(data));
  g_autoptr(MsImage) whole = load(file, FALSE, NULL);
  gsize size = g_bytes_get_size(file);

  for (gsize at = size / 2; at < size / 2 + 20; at++) {
    g_autoptr(GBytes) flipped = with_byte_flipped(file, at);
    g_autoptr(GError) error = NULL;
    g_autoptr(MsImage) strict = load(flipped, FALSE, NULL);
    g_autoptr(MsImage) found = load(flipped, TRUE, &error);
    g_assert_no_error(error);
    g_assert_cmpint(count_same_rows(found, whole), >=, HEIGHT / 5);
    if (strict)
      ms_test_assert_same_image(strict, found);
    else
      g_assert_nonnull(ms_image_get_damage(found));
  }
}

void
ms_test_damaged(void)
{
  guint n;
  const MsCodec *codecs = ms_codec_table(&n);

  for (guint i = 0; i < n; i++) {
    if (!ms_codec_is_written(&codecs[i]))
      continue;
    gconstpointer format = GINT_TO_POINTER(codecs[i].format);
    g_autofree char *undamaged = g_strdup_printf("/damaged/%s/undamaged", codecs[i].name);
    g_autofree char *cut = g_strdup_printf("/damaged/%s/cut", codecs[i].name);
    g_autofree char *nothing = g_strdup_printf("/damaged/%s/nothing-left", codecs[i].name);
    g_test_add_data_func(undamaged, format, test_undamaged);
    /* The directory of a TIFF file comes last. */
    if (codecs[i].format != MS_IMAGE_FORMAT_TIFF)
      g_test_add_data_func(cut, format, test_cut);
    g_test_add_data_func(nothing, format, test_nothing_left);
  }
  g_test_add_func("/damaged/png/wrong-checksum", test_wrong_checksum);
  g_test_add_data_func("/damaged/png/wrong-bytes", GINT_TO_POINTER(MS_IMAGE_FORMAT_PNG), test_wrong_bytes);
  g_test_add_data_func("/damaged/jpeg/wrong-bytes", GINT_TO_POINTER(MS_IMAGE_FORMAT_JPEG), test_wrong_bytes);
  g_test_add_data_func("/damaged/tiff/wrong-bytes", GINT_TO_POINTER(MS_IMAGE_FORMAT_TIFF), test_wrong_bytes);
}
