/* SPDX-License-Identifier: MIT */
/* Histograms of images and arrays: exact, complete, and equal to the serial ones. */
#include <math.h>
#include <string.h>

#include "core/image/image-io.h"
#include "core/reduce/array-histogram.h"
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

static void
check_array(MsContext *context, const MsArrayHistogramSpec *spec, MsPattern pattern, guint64 n)
{
  g_autoptr(GError) error = NULL;
  g_autofree void *data = ms_pattern_new(pattern, spec->type, n);
  g_autoptr(MsArrayHistogram) found = ms_array_histogram(&(MsDeviceRun){context, NULL, NULL}, spec, data, n, &error);
  g_assert_no_error(error);
  g_autoptr(MsArrayHistogram) expected = ms_array_histogram_serial(spec, data, n, &error);
  guint64 sum;

  g_assert_no_error(error);
  sum = found->below + found->above + found->nan;
  for (guint i = 0; i < spec->bins; i++) {
    g_assert_cmpuint(found->counts[i], ==, expected->counts[i]);
    sum += found->counts[i];
  }
  g_assert_cmpuint(found->below, ==, expected->below);
  g_assert_cmpuint(found->above, ==, expected->above);
  g_assert_cmpuint(found->nan, ==, expected->nan);
  g_assert_cmpuint(sum, ==, n);
}

static void
test_arrays(void)
{
  static const MsArrayHistogramSpec specs[] = {
    {MS_ELEMENT_UCHAR, 256, 0, 256},
    {MS_ELEMENT_CHAR, 7, -100, 90},
    {MS_ELEMENT_USHORT, 1000, 0, 65535},
    {MS_ELEMENT_SHORT, 65536, -32768, 32768},
    {MS_ELEMENT_INT, 100, -2147483648.0, 2147483647.0},
    {MS_ELEMENT_UINT, 3, 1000, 4294967295.0},
    {MS_ELEMENT_FLOAT, 50, -400, 600},
    {MS_ELEMENT_FLOAT, 1 << 20, -1, 1},
    {MS_ELEMENT_DOUBLE, 17, -0.5, 333.25},
  };
  g_autoptr(MsContext) context = ms_fixture_context();
  const guint64 n = g_getenv("MS_TEST_OCLGRIND") ? 513 : 70001;

  for (guint i = 0; context && i < G_N_ELEMENTS(specs); i++) {
    if (specs[i].type == MS_ELEMENT_DOUBLE && !context->device->limits.fp64)
      continue;
    check_array(context, &specs[i], MS_PATTERN_RANDOM, n);
    check_array(context, &specs[i], MS_PATTERN_SPECIAL, n);
    check_array(context, &specs[i], MS_PATTERN_EXTREMES, 3);
  }
}

/* The upper edge belongs to the last bin, as in numpy, and what is outside is counted as such. */
static void
test_edges(void)
{
  static const float values[] = {-1, 0, 0.5f, 1, 9.5f, 10, 10.5f, NAN, INFINITY, -INFINITY};
  const MsArrayHistogramSpec spec = {MS_ELEMENT_FLOAT, 10, 0, 10};
  g_autoptr(MsArrayHistogram) h = ms_array_histogram_serial(&spec, values, G_N_ELEMENTS(values), NULL);

  g_assert_cmpuint(h->counts[0], ==, 2);
  g_assert_cmpuint(h->counts[1], ==, 1);
  g_assert_cmpuint(h->counts[9], ==, 2);
  g_assert_cmpuint(h->below, ==, 2);
  g_assert_cmpuint(h->above, ==, 2);
  g_assert_cmpuint(h->nan, ==, 1);
}

static void
test_refusals(void)
{
  static const MsArrayHistogramSpec wrong[] = {
    {MS_ELEMENT_INT, 0, 0, 1},
    {MS_ELEMENT_INT, 10, 5, 5},
    {MS_ELEMENT_INT, 10, 0, 2.5},
    {MS_ELEMENT_FLOAT, 10, 0, INFINITY},
    {MS_ELEMENT_FLOAT, 10, NAN, 1},
    {MS_ELEMENT_INT, 10, 0, 1e15},
    {MS_ELEMENT_INT, (1 << 22) + 1, 0, 10},
    {MS_ELEMENT_FLOAT, 4, -3e38, 3e38},
    {MS_ELEMENT_FLOAT, 4, 16777216, 16777217},
    {MS_ELEMENT_DOUBLE, 4, -1.5e308, 1.5e308},
  };
  const int values[1] = {0};

  for (guint i = 0; i < G_N_ELEMENTS(wrong); i++) {
    g_autoptr(GError) error = NULL;
    g_assert_null(ms_array_histogram_serial(&wrong[i], values, 1, &error));
    g_assert_error(error, MS_ERROR, MS_ERROR_USAGE);
  }
  const MsArrayHistogramSpec good = {MS_ELEMENT_INT, 10, 0, 10};
  g_autoptr(GError) error = NULL;
  g_assert_null(ms_array_histogram_serial(&good, values, 0, &error));
  g_assert_error(error, MS_ERROR, MS_ERROR_USAGE);
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
  ms_image_comparison_serial(p, q, 41 * 60, &of_whole);
  for (int y = 0; y < 60; y += 25) {
    const guint64 at = 4 * 41 * (guint64)y, n = 41 * (guint64)MIN(25, 60 - y);
    ms_fixture_statistics(p + at, n, band);
    ms_image_comparison_serial(p + at, q + at, n, &of_band);
    band->timed.kernel_ms = of_band.timed.kernel_ms = 1;
    band->timed.gb_per_s = of_band.timed.gb_per_s = y + 1;
    ms_image_statistics_add(sum, band);
    ms_image_comparison_add(&of_sum, &of_band);
  }
  g_assert_cmpmem(sum->channels, sizeof sum->channels, whole->channels, sizeof whole->channels);
  g_assert_cmpmem(&sum->histogram, sizeof sum->histogram, &whole->histogram, sizeof whole->histogram);
  g_assert_cmpmem(&of_sum, G_STRUCT_OFFSET(MsImageComparison, timed), &of_whole,
                  G_STRUCT_OFFSET(MsImageComparison, timed));
  g_assert_cmpfloat(sum->timed.kernel_ms, ==, 3);
  g_assert_cmpfloat_with_epsilon(sum->timed.gb_per_s, 26, 1e-9);
  g_assert_cmpfloat(of_sum.timed.kernel_ms, ==, 3);
  g_assert_cmpfloat_with_epsilon(of_sum.timed.gb_per_s, 26, 1e-9);
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
  g_test_add_func("/histogram/arrays", test_arrays);
  g_test_add_func("/histogram/edges", test_edges);
  g_test_add_func("/histogram/refusals", test_refusals);
  return g_test_run();
}
