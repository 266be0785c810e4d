/* SPDX-License-Identifier: MIT */
/* Every combination of the toggles that means something against the serial reference, on sizes that fit nothing. */
#include <string.h>

#include "core/filter/kernels.h"
#include "core/filter/mean-shift.h"
#include "core/filter/options.h"
#include "tests/fixture.h"

typedef struct {
  MsContext *context;
  MsMeanShift *filter;
  guint ran;
  guint refused;
} Bench;

static gboolean
bench_open(Bench *bench)
{
  *bench = (Bench){.context = ms_fixture_context()};
  if (!bench->context)
    return FALSE;
  bench->filter = ms_mean_shift_new(bench->context);
  return TRUE;
}

static void
bench_close(Bench *bench)
{
  g_test_message("%u runs compared, %u combinations refused with a reason", bench->ran, bench->refused);
  g_assert_cmpuint(bench->ran, >, 0);
  g_clear_object(&bench->filter);
  g_clear_object(&bench->context);
}

/* Compares with the reference; a refusal must be the plan's and carry a sentence. */
static void
compare_one(Bench *bench, MsImage *source, MsImage *expected, const MsSettings *settings, const MsRegion *region)
{
  g_autoptr(GError) error = NULL;
  g_autofree char *arguments = ms_settings_to_arguments(settings);
  g_autofree char *what =
    g_strdup_printf("%dx%d %s", ms_image_get_width(source), ms_image_get_height(source), arguments);
  g_autoptr(MsImage) actual = ms_mean_shift_run(bench->filter, source, settings, region, NULL, NULL, &error);

  if (!actual && g_error_matches(error, MS_ERROR, MS_ERROR_UNSUPPORTED)) {
    g_assert_cmpuint(strlen(error->message), >, 20);
    bench->refused++;
    return;
  }
  if (!actual)
    g_error("%s: %s", what, error->message);
  ms_fixture_assert_same(expected, actual, what);
  bench->ran++;
}

/* Calls compare_one() for every value of every toggle from row @from of the table on, kernels and schedules included. */
static void
compare_toggles(Bench *bench, MsImage *source, MsImage *expected, MsSettings settings, guint from)
{
  guint n;
  const MsOptionInfo *table = ms_options_table(&n);

  while (from < n && (table[from].group != MS_OPTION_GROUP_TOGGLE || table[from].kind != MS_OPTION_CHOICE))
    from++;
  if (from == n) {
    compare_one(bench, source, expected, &settings, NULL);
    return;
  }
  for (guint i = 0; table[from].values[i]; i++) {
    g_autoptr(GError) error = NULL;
    gboolean set = ms_option_set_text(&table[from], &settings, table[from].values[i], &error);
    g_assert_no_error(error);
    g_assert_true(set);
    compare_toggles(bench, source, expected, settings, from + 1);
  }
}

static void
all_toggles(Bench *bench, MsImage *source, const MsParams *params, int group_width, int group_height)
{
  MsSettings settings = ms_settings_default();
  g_autoptr(GError) error = NULL;
  g_autoptr(MsImage) expected = ms_reference_run(source, params, NULL, NULL, NULL, NULL, &error);

  g_assert_no_error(error);
  settings.params = *params;
  settings.options.work_group_width = group_width;
  settings.options.work_group_height = group_height;
  compare_toggles(bench, source, expected, settings, 0);
}

static void
test_every_combination(gconstpointer data)
{
  MsRule rule = GPOINTER_TO_INT(data);
  MsParams params = {.sp = 3, .sr = 60, .max_iterations = 4, .epsilon = 1, .rule = rule};
  g_autoptr(MsImage) scene = ms_fixture_scene(37, 21, 7);
  Bench bench;

  if (!bench_open(&bench))
    return;
  all_toggles(&bench, scene, &params, 0, 0);
  all_toggles(&bench, scene, &params, 8, 4);
  bench_close(&bench);
}

static void
test_odd_sizes(void)
{
  static const int sizes[][2] = {{1, 1}, {1, 9}, {9, 1}, {2, 3}, {5, 5}, {17, 3}, {33, 19}};
  Bench bench;

  if (!bench_open(&bench))
    return;
  for (gsize i = 0; i < G_N_ELEMENTS(sizes); i++) {
    MsParams params = {.sp = 7, .sr = 100, .max_iterations = 5, .epsilon = 1, .rule = MS_RULE_OPENCV};
    g_autoptr(MsImage) noise = ms_fixture_noise(sizes[i][0], sizes[i][1], (guint32)i);
    all_toggles(&bench, noise, &params, 4, 2);
    params.rule = MS_RULE_REPLICATE;
    all_toggles(&bench, noise, &params, 4, 2);
  }
  bench_close(&bench);
}

/* One run of each kernel by name: the toggles were combined above. */
static void
all_kernels(Bench *bench, MsImage *source, const MsParams *params)
{
  MsSettings settings = ms_settings_default();
  g_autoptr(GError) error = NULL;
  g_autoptr(MsImage) expected = ms_reference_run(source, params, NULL, NULL, NULL, NULL, &error);

  g_assert_no_error(error);
  settings.params = *params;
  for (int kernel = MS_KERNEL_AUTO; ms_kernel_names[kernel]; kernel++) {
    settings.options.kernel = kernel;
    for (int schedule = MS_SCHEDULE_FIXED; schedule <= MS_SCHEDULE_REFILL; schedule++) {
      settings.options.schedule = schedule;
      compare_one(bench, source, expected, &settings, NULL);
    }
  }
}

static void
test_parameters(void)
{
  static const MsParams list[] = {
    {1, 0, 5, 1, MS_RULE_OPENCV},      {1, 510, 5, 1, MS_RULE_OPENCV},    {2.5, 20, 5, 1, MS_RULE_OPENCV},
    {3.5, 33.3, 9, 0, MS_RULE_OPENCV}, {4.3, 20.5, 5, 1, MS_RULE_OPENCV}, {7.7, 6.1, 5, 0.5, MS_RULE_OPENCV},
    {8, 255, 3, 1, MS_RULE_OPENCV},    {15, 40, 100, 0, MS_RULE_OPENCV},  {16, 6, 5, 30, MS_RULE_OPENCV},
    {21, 60, 5, 1, MS_RULE_OPENCV},    {33, 90, 4, 1, MS_RULE_OPENCV},    {64, 50, 3, 1, MS_RULE_OPENCV},
    {64, 510, 2, 1, MS_RULE_OPENCV},   {5, 20, 5, 1, MS_RULE_TRUNCATE},   {12, 441, 5, 1, MS_RULE_TRUNCATE},
    {40, 30, 5, 1, MS_RULE_TRUNCATE},  {5, 20, 5, 1, MS_RULE_REPLICATE},  {12, 200, 20, 0, MS_RULE_REPLICATE},
    {40, 300, 5, 1, MS_RULE_REPLICATE}, {6, 256, 5, 1, MS_RULE_OPENCV},   {6, 254.9, 1, 1, MS_RULE_OPENCV},
  };
  g_autoptr(MsImage) scene = ms_fixture_scene(83, 47, 3);
  g_autoptr(MsImage) noise = ms_fixture_noise(45, 70, 5);
  Bench bench;

  if (!bench_open(&bench))
    return;
  for (gsize i = 0; i < G_N_ELEMENTS(list); i++) {
    all_kernels(&bench, scene, &list[i]);
    all_kernels(&bench, noise, &list[i]);
  }
  bench_close(&bench);
}

/* A region equals the same rectangle of the whole, and a small memory budget (many stripes) changes nothing. */
static void
test_regions_and_stripes(void)
{
  static const MsRegion regions[] = {{0, 0, 5, 5}, {11, 7, 40, 13}, {60, 50, 4, 14}, {0, 63, 64, 1}};
  g_autoptr(MsImage) scene = ms_fixture_scene(64, 64, 11);
  MsSettings settings = ms_settings_default();
  Bench bench;

  if (!bench_open(&bench))
    return;
  settings.params.sp = 2;
  for (int kernel = MS_KERNEL_AUTO; ms_kernel_names[kernel]; kernel++) {
    settings.options.kernel = kernel;
    for (gsize i = 0; i < G_N_ELEMENTS(regions); i++) {
      g_autoptr(GError) error = NULL;
      g_autoptr(MsImage) expected = ms_reference_run(scene, &settings.params, &regions[i], NULL, NULL, NULL, &error);
      ms_mean_shift_set_memory_budget(bench.filter, 0);
      compare_one(&bench, scene, expected, &settings, &regions[i]);
      ms_mean_shift_set_memory_budget(bench.filter, 24 * 64 * 4);
      compare_one(&bench, scene, expected, &settings, &regions[i]);
    }
  }
  bench_close(&bench);
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
  Bench bench;

  if (!bench_open(&bench))
    return;
  settings.params.sp = 2;
  ms_mean_shift_set_memory_budget(bench.filter, 24 * 64 * 4);
  ms_mean_shift_set_progress(bench.filter, cancel_at_once, cancellable);
  g_autoptr(MsImage) result = ms_mean_shift_run(bench.filter, scene, &settings, NULL, NULL, cancellable, &error);
  g_assert_null(result);
  g_assert_error(error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  bench.ran = 1;
  bench_close(&bench);
}

static void
test_timings(void)
{
  g_autoptr(MsTimingLog) log = ms_timing_log_new();
  g_autoptr(MsImage) scene = ms_fixture_scene(64, 64, 11);
  g_autoptr(GError) error = NULL;
  MsSettings settings = ms_settings_default();
  gboolean seen[MS_STAGE_ENCODE + 1] = {FALSE};
  Bench bench;

  if (!bench_open(&bench))
    return;
  g_autoptr(MsImage) result = ms_mean_shift_run(bench.filter, scene, &settings, NULL, log, NULL, &error);
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
  bench.ran = 1;
  bench_close(&bench);
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
