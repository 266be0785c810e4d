/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "core/image/metadata/orientation.h"
#include "tests/support/cases.h"
#include "tests/support/image-files.h"

static void
test_shares_pixels(void)
{
  static const guint8 pixels[2 * 3 * 4] = {1, 2, 3, 4};
  g_autoptr(GBytes) bytes = g_bytes_new_static(pixels, sizeof pixels);
  g_autoptr(MsImage) image = ms_image_new(2, 3, bytes, NULL);

  g_assert_cmpint(ms_image_get_width(image), ==, 2);
  g_assert_cmpint(ms_image_get_height(image), ==, 3);
  g_assert_cmpuint(ms_image_get_stride(image), ==, 8);
  g_assert_cmpuint(ms_image_get_byte_size(image), ==, 24);
  g_assert_true(ms_image_get_pixels(image) == pixels);
  g_assert_true(ms_image_get_bytes(image) == bytes);
  g_assert_null(ms_image_get_metadata(image));
  MsRegion extent = ms_image_get_extent(image);
  g_assert_cmpint(extent.x + extent.y, ==, 0);
  g_assert_cmpint(extent.width, ==, 2);
  g_assert_cmpint(extent.height, ==, 3);
}

static void
test_keeps_metadata(void)
{
  g_autoptr(GBytes) icc = g_bytes_new("icc", 3);
  MsMetadata *metadata = ms_metadata_new(icc, NULL, 11811, 5906);
  g_autoptr(MsImage) image = ms_test_image_random(3, 3, 1, TRUE, metadata);

  ms_metadata_unref(metadata);
  metadata = ms_image_get_metadata(image);
  g_assert_true(g_bytes_equal(metadata->icc, icc));
  g_assert_null(metadata->exif);
  g_assert_cmpuint(metadata->x_pixels_per_metre, ==, 11811);
  g_assert_cmpuint(metadata->y_pixels_per_metre, ==, 5906);
}

static void
test_transparency(void)
{
  for (int i = 0; i < 15; i++) {
    guint8 *pixels = g_malloc(15 * 4);
    memset(pixels, 255, 15 * 4);
    pixels[i * 4] = 0;
    g_autoptr(MsImage) opaque = ms_image_new_take(5, 3, g_memdup2(pixels, 60), NULL);
    g_assert_false(ms_image_has_transparency(opaque));
    pixels[i * 4 + 3] = 254;
    g_autoptr(MsImage) clear = ms_image_new_take(5, 3, pixels, NULL);
    g_assert_true(ms_image_has_transparency(clear));
  }
}

static void
test_compare(void)
{
  g_autoptr(MsImage) a = ms_test_image_random(9, 7, 5, FALSE, NULL);
  guint8 *pixels = g_memdup2(ms_image_get_pixels(a), 9 * 7 * 4);
  pixels[0] ^= 0x01;
  pixels[1] ^= 0x01;
  pixels[9 * 7 * 4 - 1] ^= 0x80;
  g_autoptr(MsImage) b = ms_image_new_take(9, 7, pixels, NULL);

  MsImageDifference none = ms_image_compare(a, a);
  g_assert_cmpuint(none.mismatched_pixels, ==, 0);
  g_assert_cmpint(none.max_difference, ==, 0);
  MsImageDifference some = ms_image_compare(a, b);
  g_assert_cmpuint(some.mismatched_pixels, ==, 2);
  g_assert_cmpint(some.max_difference, ==, 128);
}

/* Where pixel (x, y) of the upright picture is stored, straight from the table of the EXIF standard (2.3, tag 0112). */
static void
stored_at(int orientation, int width, int height, int x, int y, int *sx, int *sy)
{
  gboolean from_right = orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8;
  gboolean from_bottom = orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
  gboolean swapped = orientation >= 5;
  int column = swapped ? y : x;
  int row = swapped ? x : y;

  *sx = from_right ? width - 1 - column : column;
  *sy = from_bottom ? height - 1 - row : row;
}

static void
check_orientation(int width, int height, int orientation)
{
  g_autoptr(MsImage) stored = ms_test_image_random(width, height, 77, FALSE, NULL);
  const guint32 *source = (const guint32 *)ms_image_get_pixels(stored);
  g_autofree guint8 *given = g_memdup2(source, ms_image_get_byte_size(stored)),
                    *other = g_memdup2(source, ms_image_get_byte_size(stored));
  const gboolean swaps = ms_orientation_swaps_sides(orientation);
  const guint8 *pixels = swaps ? other : given;
  const int upright_width = swaps ? height : width, upright_height = swaps ? width : height;

  g_assert_true(swaps == (orientation >= 5));
  ms_orientation_turn(&(MsStoredPixels){given, width, height, orientation}, swaps ? other : given, NULL, NULL);
  for (int y = 0; y < upright_height; y++)
    for (int x = 0; x < upright_width; x++) {
      int sx, sy;
      stored_at(orientation, width, height, x, y, &sx, &sy);
      g_assert_cmphex(((const guint32 *)pixels)[y * upright_width + x], ==, source[sy * width + sx]);
    }
}

static void
test_orientations(void)
{
  static const int sizes[][2] = {{1, 1}, {1, 5}, {5, 1}, {2, 2}, {3, 4}, {32, 32}, {33, 31}, {65, 130}};

  for (gsize i = 0; i < G_N_ELEMENTS(sizes); i++)
    for (int orientation = 1; orientation <= 8; orientation++)
      check_orientation(sizes[i][0], sizes[i][1], orientation);
}

/* One transparent pixel is found at every position. */
static void
test_transparency_anywhere(void)
{
  enum { N = 2500 };

  for (int at = 0; at < N; at += 83) {
    guint8 *pixels = g_malloc(N * 4);
    memset(pixels, 255, N * 4);
    pixels[at * 4 + 3] = 254;
    g_autoptr(MsImage) image = ms_image_new_take(N, 1, pixels, NULL);
    g_assert_true(ms_image_has_transparency(image));
    pixels[at * 4 + 3] = 255;
    pixels[at * 4 + at % 3] = 0;
    g_assert_false(ms_image_has_transparency(image));
  }
}

void
ms_test_image(void)
{
  g_test_add_func("/image/transparency-anywhere", test_transparency_anywhere);
  g_test_add_func("/image/shares-pixels", test_shares_pixels);
  g_test_add_func("/image/keeps-metadata", test_keeps_metadata);
  g_test_add_func("/image/transparency", test_transparency);
  g_test_add_func("/image/compare", test_compare);
  g_test_add_func("/image/orientations", test_orientations);
}
