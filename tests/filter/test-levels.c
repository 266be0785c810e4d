/* SPDX-License-Identifier: MIT */
/*
 * Levels of the pyramid: every kernel that takes a mask against the serial reference, on odd and even sides, in regions
 * and with shared devices. tests/app/peer.py compares the reference with OpenCV. The suite takes radii whose levels
 * have whole radii as well, so that all tests share the programs of each kernel; CI runs every row of the tables.
 */
#include <string.h>

#include "core/filter/plan/plan.h"
#include "core/filter/pyramid/pyramid.h"
#include "tests/support/fixture.h"
#include "tests/support/option-product.h"

static const MsKernel kernels[] = {MS_KERNEL_DIRECT, MS_KERNEL_ROWS, MS_KERNEL_ROWS_WIDE, MS_KERNEL_PACKED};

static MsSettings
settings_for(double sp, int levels)
{
  MsSettings settings = ms_settings_default();

  settings.params.sp = sp;
  settings.params.sr = 30;
  settings.params.levels = levels;
  return settings;
}

static void
compare(MsOptionProduct *product, MsImage *source, const MsRegion *region, double sp, int levels)
{
  MsSettings settings = settings_for(sp, levels);

  ms_option_product_compare_kernels(product, source, &settings, region, kernels, G_N_ELEMENTS(kernels));
}

static void
test_kernels(void)
{
  static const struct {
    double sp;
    int levels;
  } more[] = {{9, 8}, {3, 2}, {20.5, 3}};
  g_autoptr(MsImage) odd = ms_fixture_scene(77, 43, 3), even = ms_fixture_scene(66, 30, 4);
  g_autoptr(MsImage) dot = ms_fixture_scene(1, 1, 5);
  MsOptionProduct product;

  if (!ms_option_product_open(&product))
    return;
  compare(&product, odd, NULL, 2, 1);
  compare(&product, even, NULL, 2, 1);
  compare(&product, dot, NULL, 2, 1);
  for (gsize i = 0; i < G_N_ELEMENTS(more) && ms_fixture_form() >= MS_TEST_CI; i++)
    compare(&product, odd, NULL, more[i].sp, more[i].levels);
  g_assert_cmpuint(product.ran, >, 0);
  ms_option_product_close(&product);
}

static void
test_regions(void)
{
  static const MsRegion regions[] = {{0, 0, 40, 17}, {13, 11, 51, 32}, {76, 42, 1, 1}};
  g_autoptr(MsImage) source = ms_fixture_scene(77, 43, 6);
  MsOptionProduct product;

  if (!ms_option_product_open(&product))
    return;
  for (gsize i = 0; i < G_N_ELEMENTS(regions); i++)
    compare(&product, source, &regions[i], 2, 1);
  ms_option_product_close(&product);
}

/* The memory for stripes of a few rows of the finest level. */
static guint64
small_budget(MsMeanShift *filter, MsImage *source, const MsSettings *settings)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(MsPlan) whole = ms_mean_shift_plan(filter, &(MsJob){.source = source, .settings = settings}, &error);

  g_assert_no_error(error);
  g_assert_false(whole->in_tiles);
  return ms_plan_device_bytes(whole, 11);
}

static void
compare_stripes(MsMeanShift *filter, MsImage *source, const MsSettings *settings, const MsRegion *region)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(MsPlan) plan =
    ms_mean_shift_plan(filter, &(MsJob){.source = source, .settings = settings, .region = region}, &error);

  g_assert_no_error(error);
  g_assert_true(plan->in_tiles && plan->tile_rows < plan->region.height / 2);
  g_autoptr(MsImage) actual = ms_fixture_filter(filter, (MsJob){.source = source, .plan = plan}, &error);
  g_assert_no_error(error);
  g_autoptr(MsImage) expected = ms_fixture_reference(source, &settings->params, region, &error);
  ms_fixture_assert_same(expected, actual, ms_filter_kernel_name(plan->settings.options.kernel));
}

/* Levels that do not fit on the device together: the finest are computed in stripes, the upper ones whole. */
static void
test_stripes(void)
{
  static const MsRegion region = {13, 11, 51, 70};
  static const struct {
    MsTestForm form;
    double sp;
    MsKernel kernel;
    MsSpace space;
  } cases[] = {
    {MS_TEST_SUITE, 4, MS_KERNEL_DIRECT, MS_SPACE_RGB}, {MS_TEST_SUITE, 4, MS_KERNEL_ROWS, MS_SPACE_LUV},
    {MS_TEST_CI, 3, MS_KERNEL_DIRECT, MS_SPACE_RGB},    {MS_TEST_CI, 3, MS_KERNEL_ROWS, MS_SPACE_LUV},
    {MS_TEST_CI, 3, MS_KERNEL_ROWS_WIDE, MS_SPACE_RGB}, {MS_TEST_CI, 3, MS_KERNEL_PACKED, MS_SPACE_RGB},
  };
  const gboolean simulated = ms_fixture_under_oclgrind();
  g_autoptr(MsContext) context = ms_fixture_context();
  g_autoptr(MsImage) source = ms_fixture_scene(simulated ? 23 : 77, 95, 9);

  if (!context)
    return;
  g_autoptr(MsMeanShift) filter = ms_mean_shift_new(context);
  for (gsize i = 0; i < G_N_ELEMENTS(cases) && !simulated; i++) {
    MsSettings settings = settings_for(cases[i].sp, 2);
    if (cases[i].form > ms_fixture_form() || !ms_fixture_has_vectors(context, cases[i].kernel))
      continue;
    settings.params.max_iterations = 3;
    settings.params.space = cases[i].space;
    settings.options.kernel = cases[i].kernel;
    ms_mean_shift_set_memory_budget(filter, 0);
    ms_mean_shift_set_memory_budget(filter, small_budget(filter, source, &settings));
    compare_stripes(filter, source, &settings, NULL);
    compare_stripes(filter, source, &settings, &region);
  }

  /* A halo of one row is narrower than what enlarging reads. */
  MsSettings settings = settings_for(1, 1);
  settings.params.max_iterations = 1;
  settings.options.kernel = simulated ? MS_KERNEL_DIRECT : MS_KERNEL_AUTO;
  ms_mean_shift_set_memory_budget(filter, 0);
  ms_mean_shift_set_memory_budget(filter, small_budget(filter, source, &settings));
  compare_stripes(filter, source, &settings, NULL);
}

/* One level changes the picture, and only a part of it is filtered again. */
static void
test_mask(void)
{
  g_autoptr(MsImage) source = ms_fixture_scene(128, 96, 7);
  const MsPyramidSize size = {128, 96};
  g_autofree guint8 *coarse = g_malloc(64 * 48 * 4), *mask = g_malloc(128 * 96);
  MsSettings settings = settings_for(5, 0);
  guint marked = 0;

  ms_pyramid_halve(ms_image_get_pixels(source), (MsRows){0, 96}, size, (MsRows){0, 48}, coarse);
  ms_pyramid_mark(coarse, size, (MsRows){0, size.height}, ms_pyramid_edge(&settings.params), mask);
  for (guint i = 0; i < 128 * 96; i++)
    marked += mask[i];
  g_assert_cmpuint(marked, >, 128 * 96 / 50);
  g_assert_cmpuint(marked, <, 128 * 96 * 49 / 50);
}

/* Three rows: the coarser level is reflected at its first row, and its last is repeated. */
static void
test_enlarge(void)
{
  static const int expected[] = {20, 40, 70};
  const guint8 coarse[2 * 4] = {0, 0, 0, 0, 80, 80, 80, 0};
  guint8 original[3 * 2 * 4] = {0}, fine[3 * 2 * 4];

  ms_pyramid_enlarge(coarse, original, (MsPyramidSize){2, 3}, (MsRows){0, 3}, fine);
  for (int y = 0; y < 3; y++)
    g_assert_cmpint(fine[y * 2 * 4], ==, expected[y]);
}

/* An odd number of rows or columns gives the pixels of one more without the last. */
static void
test_enlarge_odd(void)
{
  for (int i = 0; i < 5 * 5; i++) {
    const MsPyramidSize even = {2 * (1 + i % 5), 2 * (1 + i / 5)}, odd = {even.width - 1, even.height - 1};
    g_autoptr(MsImage) coarse = ms_fixture_scene(even.width / 2, even.height / 2, 20 + (guint)i);
    guint8 original[10 * 10 * 4] = {0}, larger[10 * 10 * 4], smaller[9 * 9 * 4];

    ms_pyramid_enlarge(ms_image_get_pixels(coarse), original, even, (MsRows){0, even.height}, larger);
    ms_pyramid_enlarge(ms_image_get_pixels(coarse), original, odd, (MsRows){0, odd.height}, smaller);
    for (int y = 0; y < odd.height; y++)
      g_assert_cmpmem(larger + y * even.width * 4, odd.width * 4, smaller + y * odd.width * 4, odd.width * 4);
  }
}

/* Each level halves the radius of the finer one, but never below 1. */
static void
test_coarser(void)
{
  MsParams params = settings_for(10.5, 3).params;
  static const double radii[] = {5.25, 2.625, 1.3125, 1, 1};

  params.space = MS_SPACE_LUV;
  for (int i = 0; i < (int)G_N_ELEMENTS(radii); i++) {
    params = ms_params_coarser(&params);
    g_assert_cmpfloat(params.sp, ==, radii[i]);
    g_assert_cmpint(params.levels, ==, 2 - i);
    g_assert_cmpint(params.space, ==, MS_SPACE_RGB);
  }
}

static void
count_rows(int done, int total, gpointer data)
{
  int *last = data;

  g_assert_cmpint(done, >, *last);
  *last = done;
  g_assert_cmpint(total, ==, 43);
}

static void
test_progress_and_cancelling(void)
{
  g_autoptr(MsContext) context = ms_fixture_context();
  g_autoptr(MsImage) source = ms_fixture_scene(77, 43, 8);
  g_autoptr(GCancellable) cancellable = g_cancellable_new();
  g_autoptr(GError) error = NULL;
  MsSettings settings = settings_for(2, 1);
  int last = 0;

  if (!context)
    return;
  g_autoptr(MsMeanShift) filter = ms_mean_shift_new(context);
  g_autoptr(MsImage) result = ms_fixture_filter(
    filter, (MsJob){.source = source, .settings = &settings, .progress = count_rows, .progress_data = &last}, &error);
  g_assert_no_error(error);
  g_assert_cmpint(last, ==, 43);
  g_cancellable_cancel(cancellable);
  g_autoptr(MsImage) none =
    ms_fixture_filter(filter, (MsJob){.source = source, .settings = &settings, .cancellable = cancellable}, &error);
  g_assert_null(none);
  g_assert_error(error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/levels/kernels", test_kernels);
  g_test_add_func("/levels/regions", test_regions);
  g_test_add_func("/levels/stripes", test_stripes);
  g_test_add_func("/levels/mask", test_mask);
  g_test_add_func("/levels/enlarge", test_enlarge);
  g_test_add_func("/levels/enlarge-odd", test_enlarge_odd);
  g_test_add_func("/levels/coarser", test_coarser);
  g_test_add_func("/levels/progress-and-cancelling", test_progress_and_cancelling);
  return g_test_run();
}
