/* SPDX-License-Identifier: MIT */
/* Histograms of images: exact, complete, and equal to the serial ones. */
#include <math.h>
#include <string.h>

#include "core/image/image-io.h"
#include "core/reduce/image-comparison.h"
#include "core/reduce/image-statistics.h"
#include "tests/support/fixture.h"
#include "tests/reduce/reduce-cases.h"

static void
assert_complete(const MsHistogram *histogram, guint64 n)
{
  g_assert_cmpuint(histogram->pixels, ==, n);
  for (int c = 0; c < MS_N_CHANNELS; c++) {
    guint64 sum = 0;
    for (int v = 0; v < 256; v++)
      sum += histogram->counts[c][v];
    g_assert_cmpuint(sum, ==, n);
  }
}

static void
check_image(MsContext *context, MsImage *image)
{
  g_autoptr(GError) error = NULL;
  g_autofree MsHistogram *found = g_new(MsHistogram, 1), *expected = g_new(MsHistogram, 1);
  guint64 n = ms_image_get_byte_size(image) / 4;

  g_assert_true(ms_histogram_of_image(&(MsDeviceRun){context, NULL, NULL}, image, found, &error));
  g_assert_no_error(error);
  ms_histogram_serial(ms_image_get_pixels(image), n, expected);
  assert_complete(found, n);
  g_assert_cmpmem(found, sizeof *found, expected, sizeof *expected);
}

static void
test_sizes(void)
{
  static const int sizes[][2] = {{1, 1}, {2, 1}, {3, 1}, {1, 5}, {31, 1}, {17, 13}, {64, 64}, {257, 31}};
  g_autoptr(MsContext) context = ms_fixture_context();

  for (guint i = 0; context && i < G_N_ELEMENTS(sizes); i++) {
    g_autoptr(MsImage) noise = ms_fixture_noise(sizes[i][0], sizes[i][1], i + 1);
    check_image(context, noise);
  }
}

/* Every count in one bin of each channel: the worst case of counting in parallel. */
static void
test_flat(void)
{
  g_autoptr(MsContext) context = ms_fixture_context();
  const int width = g_getenv("MS_TEST_OCLGRIND") ? 40 : 1001, height = g_getenv("MS_TEST_OCLGRIND") ? 30 : 333;
  guint8 *pixels = g_malloc((gsize)width * height * 4);

  memset(pixels, 255, (gsize)width * height * 4);
  g_autoptr(MsImage) image = ms_image_new_take(width, height, pixels, NULL);
  if (context)
    check_image(context, image);
}

static void
test_photographs(void)
{
  static const char *const names[] = {"photographs/astronaut.png", "photographs/chelsea.png",
                                      "photographs/coffee.png",    "photographs/hubble_deep_field.jpg",
                                      "photographs/retina.jpg",    "photographs/rocket.jpg"};
  g_autoptr(MsContext) context = ms_fixture_context();

  if (g_getenv("MS_TEST_OCLGRIND")) {
    g_test_skip("Photographs are too large for a simulated device.");
    return;
  }
  for (guint i = 0; context && i < G_N_ELEMENTS(names); i++) {
    g_autofree char *path = ms_fixture_picture(names[i]);
    g_autoptr(GError) error = NULL;
    if (!path)
      return;
    g_autoptr(MsImage) image = ms_image_load(path, NULL, NULL, &error);
    g_assert_no_error(error);
    check_image(context, image);
  }
}

static void
test_luma(void)
{
  g_assert_cmpuint(MS_LUMA(255, 255, 255), ==, 255);
  g_assert_cmpuint(MS_LUMA(0, 0, 0), ==, 0);
  g_assert_cmpuint(MS_LUMA(255, 0, 0), ==, 76);   /* 76.245 */
  g_assert_cmpuint(MS_LUMA(0, 255, 0), ==, 150);  /* 149.685 */
  g_assert_cmpuint(MS_LUMA(0, 0, 255), ==, 29);   /* 29.07 */
  g_assert_cmpuint(MS_LUMA(4, 1, 191), ==, 24);   /* 23.557 */
  g_assert_cmpuint(MS_LUMA(0, 2, 2), ==, 1);      /* 1.402 */
  g_assert_cmpuint(MS_LUMA(0, 100, 100), ==, 70); /* 70.1 */
  g_assert_cmpuint(MS_LUMA(50, 0, 50), ==, 21);   /* 20.65 */
  g_assert_cmpuint(MS_LUMA(0, 0, 250), ==, 29);   /* 28.5 exactly: upwards */
}

/* Bands of an image, added up, have the numbers of the whole: none is approximate. */
static void
test_added(void)
{
  g_autoptr(MsImage) a = ms_fixture_noise(41, 60, 5);
  g_autoptr(MsImage) b = ms_fixture_noise(41, 60, 6);
  const guint8 *p = ms_image_get_pixels(a), *q = ms_image_get_pixels(b);
  g_autofree MsImageStatistics *whole = g_new(MsImageStatistics, 1), *sum = g_new0(MsImageStatistics, 1);
  g_autofree MsImageStatistics *band = g_new(MsImageStatistics, 1);
  MsImageComparison of_whole, of_sum = {0}, of_band;

  ms_fixture_statistics(p, 41 * 60, whole);
  ms_image_comparison_of_pixels(p, q, 41 * 60, &of_whole);
  for (int y = 0; y < 60; y += 25) {
    const guint64 at = 4 * 41 * (guint64)y, n = 41 * (guint64)MIN(25, 60 - y);
    ms_fixture_statistics(p + at, n, band);
    ms_image_comparison_of_pixels(p + at, q + at, n, &of_band);
    band->timed.kernel_ms = 1;
    band->timed.gb_per_s = y + 1;
    ms_image_statistics_add(sum, band);
    ms_image_comparison_add(&of_sum, &of_band);
  }
  g_assert_cmpmem(sum->channels, sizeof sum->channels, whole->channels, sizeof whole->channels);
  g_assert_cmpmem(&sum->histogram, sizeof sum->histogram, &whole->histogram, sizeof whole->histogram);
  g_assert_cmpmem(&of_sum, sizeof of_sum, &of_whole, sizeof of_whole);
  g_assert_cmpfloat(sum->timed.kernel_ms, ==, 3);
  g_assert_cmpfloat_with_epsilon(sum->timed.gb_per_s, 26, 1e-9);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/histogram/luma", test_luma);
  g_test_add_func("/histogram/added", test_added);
  g_test_add_func("/histogram/sizes", test_sizes);
  g_test_add_func("/histogram/flat", test_flat);
  g_test_add_func("/histogram/photographs", test_photographs);
  return g_test_run();
}
