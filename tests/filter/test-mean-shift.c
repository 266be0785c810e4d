/* SPDX-License-Identifier: MIT */
/*
 * Combinations of toggles that have an effect against the serial reference, on sizes that are not multiples of a
 * work-group. The suite runs every pair of toggles with one shape of work-groups and one rule, and the direct kernel
 * with the other rules, of which test-rows.c and test-packed-kernel.c run the other kernels; CI runs the pairs with
 * three shapes and every rule, and every kernel with every list of parameters; the long form every combination.
 */
#include "core/filter/mean-shift.h"
#include "core/filter/settings/settings.h"
#include "tests/support/fixture.h"
#include "tests/support/option-product.h"

/* The work-groups of test_odd_sizes(), whose programs the suite shares. */
#define ODD_WIDTH 4
#define ODD_HEIGHT 2

static void
test_every_combination(gconstpointer data)
{
  MsRule rule = GPOINTER_TO_INT(data);
  MsParams params = {.sp = 3, .sr = 60, .max_iterations = 4, .epsilon = 1, .rule = rule};
  g_autoptr(MsImage) scene = ms_fixture_scene(37, 21, 7);
  MsOptionProduct product;

  if (!ms_option_product_open(&product))
    return;
  if (ms_fixture_form() >= MS_TEST_CI) {
    ms_option_product_all_toggles(&product, scene, &params, 0, 0);
    ms_option_product_all_toggles(&product, scene, &params, 8, 4);
  } else if (rule == MS_RULE_OPENCV) {
    ms_option_product_all_toggles(&product, scene, &params, ODD_WIDTH, ODD_HEIGHT);
  } else {
    ms_option_product_one_kernel(&product, scene, &params, MS_KERNEL_DIRECT);
  }
  ms_option_product_close(&product);
}

/* Sizes share their programs; another rule needs other ones. */
static void
test_odd_sizes(void)
{
  static const int sizes[][2] = {{1, 1}, {1, 9}, {9, 1}, {2, 3}, {5, 5}, {17, 3}, {33, 19}};
  MsOptionProduct product;

  if (!ms_option_product_open(&product))
    return;
  for (gsize i = 0; i < G_N_ELEMENTS(sizes); i++) {
    MsParams params = {.sp = 7, .sr = 100, .max_iterations = 5, .epsilon = 1, .rule = MS_RULE_OPENCV};
    g_autoptr(MsImage) noise = ms_fixture_noise(sizes[i][0], sizes[i][1], (guint32)i);
    ms_option_product_all_toggles(&product, noise, &params, ODD_WIDTH, ODD_HEIGHT);
    params.rule = MS_RULE_REPLICATE;
    if (ms_fixture_form() >= MS_TEST_CI)
      ms_option_product_all_toggles(&product, noise, &params, ODD_WIDTH, ODD_HEIGHT);
  }
  ms_option_product_close(&product);
}

static void
test_parameters(void)
{
  static const MsParams list[] = {
    {1, 0, 5, 1, MS_RULE_OPENCV},       {1, 510, 5, 1, MS_RULE_OPENCV},        {2.5, 20, 5, 1, MS_RULE_OPENCV},
    {3.5, 33.3, 9, 0, MS_RULE_OPENCV},  {4.3, 20.5, 5, 1, MS_RULE_OPENCV},     {7.7, 6.1, 5, 0.5, MS_RULE_OPENCV},
    {8, 255, 3, 1, MS_RULE_OPENCV},     {15, 40, 100, 0, MS_RULE_OPENCV},      {16, 6, 5, 30, MS_RULE_OPENCV},
    {21, 60, 5, 1, MS_RULE_OPENCV},     {33, 90, 4, 1, MS_RULE_OPENCV},        {64, 50, 3, 1, MS_RULE_OPENCV},
    {64, 510, 2, 1, MS_RULE_OPENCV},    {5, 20, 5, 1, MS_RULE_TRUNCATE},       {12, 441, 5, 1, MS_RULE_TRUNCATE},
    {40, 30, 5, 1, MS_RULE_TRUNCATE},   {5, 20, 5, 1, MS_RULE_REPLICATE},      {12, 200, 20, 0, MS_RULE_REPLICATE},
    {40, 300, 5, 1, MS_RULE_REPLICATE}, {6, 256, 5, 1, MS_RULE_OPENCV},        {6, 254.9, 1, 1, MS_RULE_OPENCV},
    {6, 1000, 5, 1, MS_RULE_OPENCV},    {6, 1000000, 5, 1, MS_RULE_REPLICATE},
  };
  const gboolean more = ms_fixture_form() >= MS_TEST_CI; /* large windows of large pictures take seconds */
  g_autoptr(MsImage) scene = more ? ms_fixture_scene(83, 47, 3) : ms_fixture_scene(43, 27, 3);
  g_autoptr(MsImage) noise = more ? ms_fixture_noise(45, 70, 5) : ms_fixture_noise(25, 40, 5);
  MsOptionProduct product;

  if (!ms_option_product_open(&product))
    return;
  for (gsize i = 0; i < G_N_ELEMENTS(list); i++) {
    if (ms_fixture_form() == MS_TEST_LONG)
      ms_option_product_all_kernels(&product, scene, &list[i]);
    if (more) {
      ms_option_product_all_kernels(&product, i % 2 ? scene : noise, &list[i]);
    } else {
      ms_option_product_one_kernel(&product, i % 2 ? scene : noise, &list[i], MS_KERNEL_DIRECT);
    }
  }
  ms_option_product_close(&product);
}

/* A region equals the same rectangle of the whole, and a small memory budget (many stripes) changes nothing. */
static void
compare_regions(MsOptionProduct *product, const MsSettings *settings)
{
  static const MsRegion regions[] = {{0, 0, 5, 5}, {11, 7, 40, 13}, {60, 50, 4, 14}, {0, 63, 64, 1}};
  g_autoptr(MsImage) scene = ms_fixture_scene(64, 64, 11);

  for (gsize i = 0; i < G_N_ELEMENTS(regions); i++) {
    g_autoptr(GError) error = NULL;
    g_autoptr(MsImage) expected = ms_fixture_reference(scene, &settings->params, &regions[i], &error);
    ms_mean_shift_set_memory_budget(product->filter, 0);
    ms_option_product_compare(product, scene, expected, settings, &regions[i]);
    ms_mean_shift_set_memory_budget(product->filter, 24 * 64 * 4);
    ms_option_product_compare(product, scene, expected, settings, &regions[i]);
  }
}

static void
test_regions_and_stripes(void)
{
  MsSettings settings = ms_settings_default();
  MsOptionProduct product;

  if (!ms_option_product_open(&product))
    return;
  settings.params.sp = 3;
  for (int kernel = MS_KERNEL_AUTO; ms_filter_kernel_names[kernel]; kernel++) {
    settings.options.kernel = kernel;
    compare_regions(&product, &settings);
  }
  settings.options.kernel = MS_KERNEL_DIRECT;
  settings.options.memory = MS_MEMORY_IMAGE;
  compare_regions(&product, &settings);
  ms_option_product_close(&product);
}

static void
cancel_at_once(int done, int total, gpointer user_data)
{
  g_cancellable_cancel(user_data);
}

static void
test_cancel(void)
{
  g_autoptr(GCancellable) cancellable = g_cancellable_new();
  g_autoptr(MsImage) scene = ms_fixture_scene(64, 64, 11);
  g_autoptr(GError) error = NULL;
  MsSettings settings = ms_settings_default();

  SET_UP_CONTEXT(context);
  g_autoptr(MsMeanShift) filter = ms_mean_shift_new(context);
  settings.params.sp = 2;
  ms_mean_shift_set_memory_budget(filter, 24 * 64 * 4);
  g_autoptr(MsImage) result = ms_fixture_filter(filter,
                                                (MsJob){.source = scene,
                                                        .settings = &settings,
                                                        .progress = cancel_at_once,
                                                        .progress_data = cancellable,
                                                        .cancellable = cancellable},
                                                &error);
  g_assert_null(result);
  g_assert_error(error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
}

static void
test_timings(void)
{
  g_autoptr(MsTimingLog) log = ms_timing_log_new();
  g_autoptr(MsImage) scene = ms_fixture_scene(64, 64, 11);
  g_autoptr(GError) error = NULL;
  MsSettings settings = ms_settings_default();
  gboolean seen[MS_STAGE_ENCODE + 1] = {FALSE};

  SET_UP_CONTEXT(context);
  g_autoptr(MsMeanShift) filter = ms_mean_shift_new(context);
  g_autoptr(MsImage) result =
    ms_fixture_filter(filter, (MsJob){.source = scene, .settings = &settings, .log = log}, &error);
  g_assert_no_error(error);
  for (guint i = 0; i < ms_timing_log_get_length(log); i++) {
    const MsTiming *row = ms_timing_log_get(log, i);
    seen[row->stage] = TRUE;
    g_assert_cmpuint(row->queued_ns, <=, row->submitted_ns);
    g_assert_cmpuint(row->submitted_ns, <=, row->started_ns);
    g_assert_cmpuint(row->started_ns, <=, row->ended_ns);
  }
  g_assert_true(seen[MS_STAGE_BUILD] && seen[MS_STAGE_UPLOAD] && seen[MS_STAGE_KERNEL] && seen[MS_STAGE_DOWNLOAD]);
  g_assert_cmpfloat(ms_timing_log_total_ms(log, MS_STAGE_KERNEL), >, 0);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_data_func("/mean-shift/every-combination/opencv", GINT_TO_POINTER(MS_RULE_OPENCV), test_every_combination);
  g_test_add_data_func("/mean-shift/every-combination/truncate", GINT_TO_POINTER(MS_RULE_TRUNCATE),
                       test_every_combination);
  g_test_add_data_func("/mean-shift/every-combination/replicate", GINT_TO_POINTER(MS_RULE_REPLICATE),
                       test_every_combination);
  g_test_add_func("/mean-shift/odd-sizes", test_odd_sizes);
  g_test_add_func("/mean-shift/parameters", test_parameters);
  g_test_add_func("/mean-shift/regions-and-stripes", test_regions_and_stripes);
  g_test_add_func("/mean-shift/cancel", test_cancel);
  g_test_add_func("/mean-shift/timings", test_timings);
  return g_test_run();
}
