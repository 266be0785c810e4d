/* SPDX-License-Identifier: MIT */
/* The tuner on a simulated device: a planted optimum among configurations that are refused, fail, differ or hang. */
#include <string.h>

#include "core/engine/tuned.h"
#include "core/error.h"
#include "core/filter/reference.h"
#include "core/lab/kinds/bench.h"
#include "tests/lab/tune-fixture.h"
#include "tests/support/cases.h"
#include "tests/support/fixture.h"

/* A budget in which the whole space can be tried. */
static void
test_all(void)
{
  TuneDevice device = {0};
  g_autoptr(MsTuneSpace) space = tune_fixture_space(&device);
  g_autoptr(MsReport) record = tune_fixture_new();
  MsTuneOptions options = {60, FALSE, 1, NULL};

  g_assert_cmpuint(ms_tune_space_size(space), ==, 150);
  g_assert_true(ms_tune_search(space, record, &options, NULL, NULL));
  tune_fixture_assert_optimum(record);
  g_assert_true(record->complete);
  g_assert_cmpuint(record->rows->len, ==, 150);
  g_assert_cmpuint(ms_report_count(record, MS_OUTCOME_CONSTRAINT), ==, 6 * 6);
  g_assert_cmpuint(ms_report_count(record, MS_OUTCOME_BUILD), ==, 6);
  g_assert_cmpuint(ms_report_count(record, MS_OUTCOME_RUN), ==, 6);
  g_assert_cmpuint(ms_report_count(record, MS_OUTCOME_WRONG), ==, 6);
  g_assert_cmpuint(ms_report_count(record, MS_OUTCOME_TIMEOUT), ==, 6);
  g_assert_cmpuint(ms_report_count(record, MS_OUTCOME_OK), ==, 150 - 36 - 24);
  g_assert_cmpuint(device.evaluations, ==, 150 - 36);
}

static void
test_greedy_within_budget(void)
{
  for (guint32 seed = 1; seed <= 5; seed++) {
    TuneDevice device = {0};
    g_autoptr(MsTuneSpace) space = tune_fixture_space(&device);
    g_autoptr(MsReport) record = tune_fixture_new();
    MsTuneOptions options = {0.5, FALSE, seed, NULL};
    gint64 start = g_get_monotonic_time();
    g_assert_true(ms_tune_search(space, record, &options, NULL, NULL));
    tune_fixture_assert_optimum(record);
    g_assert_cmpint(g_get_monotonic_time() - start, <, 30 * G_USEC_PER_SEC);
  }
}

static void
test_greedy_is_cheaper_than_all(void)
{
  TuneDevice device = {0};
  g_autoptr(MsTuneSpace) space = tune_fixture_space(&device);
  g_autoptr(MsReport) record = tune_fixture_new();
  g_autoptr(MsFactors) start = ms_factors_parse("width:8 height:1 unroll:1 memory:buffer", NULL);
  MsTuneOptions options = {30, FALSE, 1, start};
  g_autoptr(GCancellable) stop = g_cancellable_new();

  /* The budget is not what ends this one: forty evaluations must do. */
  device.cancel_after = 40;
  device.campaign = stop;
  ms_tune_search(space, record, &options, stop, NULL);
  tune_fixture_assert_optimum(record);
}

static void
test_budget_ends_it(void)
{
  TuneDevice device = {.hang_s = 0.15};
  g_autoptr(MsTuneSpace) space = tune_fixture_space_new(&device);
  g_autoptr(MsReport) record = tune_fixture_new();
  MsTuneOptions options = {0.2, FALSE, 1, NULL};
  gint64 start = g_get_monotonic_time();

  ms_tune_space_add(space, "width", (const char *const[]){"64", NULL}); /* all of them hang */
  ms_tune_space_add(space, "height", (const char *const[]){"4", NULL});
  ms_tune_space_add(space, "unroll", (const char *const[]){"1", "2", "4", NULL});
  ms_tune_space_add(space, "memory", (const char *const[]){"buffer", "image", NULL});
  g_assert_true(ms_tune_search(space, record, &options, NULL, NULL));
  g_assert_cmpint(g_get_monotonic_time() - start, <, 30 * G_USEC_PER_SEC);
  g_assert_cmpuint(record->rows->len, <, 6);
  g_assert_false(record->complete);
  g_assert_null(ms_tune_best(record));
}

static gint64
read_clock(gpointer device)
{
  return ((TuneDevice *)device)->now_us++;
}

/* Each trial says when it was known, to the second; a report that was read still does. */
static void
check_times(const MsReport *report)
{
  g_autoptr(JsonNode) node = ms_report_to_json_node(report);
  g_autoptr(MsReport) back = ms_report_from_node(node, NULL);
  double evaluated = 0;

  for (guint i = 0; i < back->rows->len; i++) {
    const MsMeasurement *m = ((const MsReportRow *)back->rows->pdata[i])->measurement;
    evaluated += m->outcome == MS_OUTCOME_CONSTRAINT ? 0 : 3;
    g_assert_cmpfloat_with_epsilon(m->at_s, evaluated, 0.01);
  }
  g_assert_cmpfloat_with_epsilon(back->elapsed_s, 9, 0.01);
  g_assert_cmpuint(back->space_size, ==, 150);
  g_assert_true(report->winner ? ms_factors_equal(back->winner, report->winner) : !back->winner);
}

/* Builds cannot be cancelled, so no configuration is started that would probably end after the budget. */
static void
test_budget_holds(void)
{
  TuneDevice device = {.evaluation_us = 3 * G_USEC_PER_SEC};
  g_autoptr(MsTuneSpace) space = tune_fixture_space(&device);
  g_autoptr(MsReport) record = tune_fixture_new();
  MsTuneOptions options = {10, FALSE, 1, NULL, read_clock, &device};

  g_assert_true(ms_tune_search(space, record, &options, NULL, NULL));
  g_assert_cmpuint(device.evaluations, ==, 3);
  check_times(record);
  /* A search that resumes has a winner already and keeps to its budget from the first configuration on. */
  options.budget_s = 1e-9;
  g_assert_true(ms_tune_search(space, record, &options, NULL, NULL));
  g_assert_cmpuint(device.evaluations, ==, ms_tune_best(record) ? 3 : 4);
}

/* The reference of a large picture has as many bands of rows as can be computed in its share of the budget. */
static void
test_reference_in_time(void)
{
  g_assert_cmpuint(ms_lab_bench_reference_step(50, 0.5, 2, 0), ==, 1);
  g_assert_cmpuint(ms_lab_bench_reference_step(50, 0.5, 2, 100), ==, 1);
  g_assert_cmpuint(ms_lab_bench_reference_step(50, 0.5, 2, 2), ==, 7); /* 8 bands are in time */
  g_assert_cmpuint(ms_lab_bench_reference_step(50, 0.5, 2, 1e-9), ==, 25);
  g_assert_cmpuint(ms_lab_bench_reference_step(1, 0.5, 2, 1e-9), ==, 1);
}

/* Threads share the rows of a reference; the pixels and the number of samples are those of one thread. */
static void
test_reference_in_bands(void)
{
  static const MsParams list[] = {
    {3, 20, 3, 1, MS_RULE_OPENCV},
    {3, 60, 5, 1, MS_RULE_REPLICATE},
    {.sp = 2, .sr = 20, .max_iterations = 3, .epsilon = 1, .space = MS_SPACE_LUV},
  };
  g_autoptr(MsImage) scene = ms_fixture_scene(37, 50, 3);
  g_autoptr(MsLabBench) bench = ms_lab_bench_new(NULL, NULL, NULL);
  g_autoptr(GError) error = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS(list); i++) {
    guint64 samples = 0;
    const MsSettings settings = {.params = list[i]};
    MsJob job = {.source = scene, .settings = &settings, .samples = &samples};
    g_autoptr(MsImage) alone = ms_reference_run(&job, &error);
    g_assert_no_error(error);
    MsImage *shared = ms_lab_bench_reference(bench, scene, &list[i], NULL, &error);
    g_assert_no_error(error);
    g_assert_cmpmem(ms_image_get_pixels(alone), ms_image_get_byte_size(alone), ms_image_get_pixels(shared),
                    ms_image_get_byte_size(shared));
    g_assert_cmpuint((guint64)ms_lab_bench_window_samples(bench, scene, &list[i]), ==, samples);
  }
}

/* With any budget, one configuration is measured at least. */
static void
test_least_budget(void)
{
  TuneDevice device = {0};
  g_autoptr(MsTuneSpace) space = tune_fixture_space(&device);
  g_autoptr(MsReport) record = tune_fixture_new();
  MsTuneOptions options = {1e-9, FALSE, 1, NULL};

  g_assert_true(ms_tune_search(space, record, &options, NULL, NULL));
  g_assert_nonnull(ms_tune_best(record));
  g_assert_false(record->complete);
}

/* A search that goes on in another process has had its first configuration, so that its budget can be over. */
static void
test_resumed_without_time(void)
{
  TuneDevice device = {0};
  g_autoptr(MsTuneSpace) space = tune_fixture_space(&device);
  g_autoptr(MsReport) record = tune_fixture_new();
  MsTuneOptions options = {1e-9, TRUE, 1, NULL, read_clock, &device};

  g_assert_true(ms_tune_search(space, record, &options, NULL, NULL));
  g_assert_cmpuint(device.evaluations, ==, 0);
  g_assert_cmpuint(record->rows->len, ==, 0);
}

/* The configuration that ended the process replaces its own time, and cannot win. */
static void
test_failed_trial_is_replaced(void)
{
  g_autoptr(MsReport) report = tune_fixture_search();
  g_autoptr(MsFactors) winner = ms_factors_copy(report->winner);
  MsMeasurement *death = ms_measurement_new();

  ms_measurement_fail(death, MS_OUTCOME_RUN, "The process died.", NULL);
  ms_tune_add(report, winner, death);
  g_assert_cmpuint(report->rows->len, ==, 150);
  g_assert_cmpint(ms_tune_find(report, winner)->measurement->outcome, ==, MS_OUTCOME_RUN);
  g_assert_cmpstr(ms_tune_find(report, winner)->measurement->message, ==, "The process died.");
  g_assert_nonnull(report->winner);
  g_assert_false(ms_factors_equal(report->winner, winner));
}

/*
 * The winner that a final decided stands first, then the rows with a time, then those that failed. The others are
 * compared with it, also where the machine was busy.
 */
static void
test_rank(void)
{
  g_autoptr(MsReport) report = tune_fixture_search();
  g_autoptr(MsFactors) decided = ms_factors_parse("width:16 height:2 unroll:2 memory:image", NULL);
  double last = 0;

  g_clear_pointer(&report->winner, ms_factors_free);
  report->winner = ms_factors_copy(decided);
  ms_tune_find(report, decided)->measurement->conditions.foreign_load = 0.9;
  ms_tune_rank(report);
  const MsReportRow *first = report->rows->pdata[0];
  g_assert_true(ms_factors_contains(first->factors, decided));
  g_assert_true(first->baseline);
  for (guint i = 1; i < report->rows->len; i++) {
    const MsReportRow *row = report->rows->pdata[i];
    g_autofree char *rank = g_strdup_printf("%u", i + 1);
    g_assert_cmpint(row->measurement->outcome == MS_OUTCOME_OK, ==, i < 150 - 36 - 24);
    g_assert_cmpstr(ms_factors_get(row->factors, "rank"), ==, rank);
    if (row->measurement->outcome == MS_OUTCOME_OK)
      g_assert_cmpfloat(row->summary.median, >=, last);
    last = row->summary.median;
  }
}

static void
test_nothing_works(void)
{
  static const double budgets[] = {5, 60}; /* for some of the space, and for all of it */

  for (gsize i = 0; i < G_N_ELEMENTS(budgets); i++) {
    TuneDevice device = {.everything_fails = TRUE};
    g_autoptr(MsTuneSpace) space = tune_fixture_space(&device);
    g_autoptr(MsReport) record = tune_fixture_new();
    MsTuneOptions options = {budgets[i], FALSE, 1, NULL};
    g_assert_true(ms_tune_search(space, record, &options, NULL, NULL));
    g_assert_null(ms_tune_best(record));
    g_assert_cmpuint(ms_report_count(record, MS_OUTCOME_OK), ==, 0);
    g_assert_cmpuint(ms_report_count(record, MS_OUTCOME_BUILD), >, 0);
  }
}

/* A search without a winner says why, and what to do. */
static void
test_no_winner_has_a_reason(void)
{
  TuneDevice good = {0}, bad = {.everything_fails = TRUE};
  MsTuneOptions options = {5, FALSE, 1, NULL};
  g_autoptr(MsTuneSpace) space = tune_fixture_space(&good);
  g_autoptr(MsTuneSpace) broken = tune_fixture_space(&bad);
  g_autoptr(MsReport) record = tune_fixture_new();
  g_autoptr(MsReport) failed = tune_fixture_new();
  g_autoptr(GError) error = NULL;

  g_assert_false(ms_tune_check(record, &error));
  g_assert_error(error, MS_ERROR, MS_ERROR_TIMEOUT);
  g_assert_nonnull(strstr(error->message, "--budget"));
  g_clear_error(&error);
  g_assert_true(ms_tune_search(broken, failed, &options, NULL, NULL));
  g_assert_false(ms_tune_check(failed, &error));
  g_assert_error(error, MS_ERROR, MS_ERROR_DEVICE);
  g_assert_nonnull(strstr(error->message, ((const MsReportRow *)failed->rows->pdata[0])->measurement->message));
  g_clear_error(&error);
  g_assert_true(ms_tune_search(space, record, &options, NULL, NULL));
  g_assert_true(ms_tune_check(record, &error));
  g_assert_no_error(error);
}

/* A cancelled search that goes on evaluates no configuration twice. */
static void
test_resume(void)
{
  g_autoptr(GCancellable) stop = g_cancellable_new();
  g_autoptr(GError) error = NULL;
  TuneDevice device = {.cancel_after = 30, .campaign = stop};
  g_autoptr(MsTuneSpace) space = tune_fixture_space(&device);
  g_autoptr(MsReport) report = tune_fixture_new();
  MsTuneOptions options = {60, FALSE, 1, NULL};

  g_assert_false(ms_tune_search(space, report, &options, stop, &error));
  g_assert_error(error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_assert_false(report->complete);
  ms_tune_rank(report);
  guint known = report->rows->len - ms_report_count(report, MS_OUTCOME_CONSTRAINT);
  device = (TuneDevice){0};
  g_assert_true(ms_tune_search(space, report, &options, NULL, NULL));
  tune_fixture_assert_optimum(report);
  g_assert_true(report->complete);
  g_assert_cmpuint(device.evaluations, ==, 150 - 36 - known);
  device = (TuneDevice){0};
  g_assert_true(ms_tune_search(space, report, &options, NULL, NULL));
  g_assert_cmpuint(device.evaluations, ==, 0);
}

static void
test_problem_classes(void)
{
  g_autofree char *a = ms_problem_class_filter(5, 2560, 2560);
  g_autofree char *b = ms_problem_class_filter(6, 2400, 2400);
  g_autofree char *c = ms_problem_class_filter(15, 2560, 2560);
  g_autofree char *d = ms_problem_class_filter(5, 256, 256);

  g_assert_cmpstr(a, ==, b);
  g_assert_cmpstr(a, !=, c);
  g_assert_cmpstr(a, !=, d);
}

/* The small file that every run with auto reads: of this device, driver, problem and program version only. */
static void
test_winner(void)
{
  g_autofree char *folder = g_dir_make_tmp("tuning-XXXXXX", NULL);
  const MsWinnerKey key = {"fake", "1.0", "test"},
                    others[] = {{"fake", "1.1", "test"}, {"other", "1.0", "test"}, {"fake", "1.0", "more"}};
  g_autoptr(MsReport) report = tune_fixture_search();

  g_assert_null(ms_winner_store_load(folder, &key, "7"));
  g_assert_true(ms_winner_store_save(folder, &key, "7", report->winner, NULL));
  g_autoptr(MsFactors) winner = ms_winner_store_load(folder, &key, "7");
  g_assert_true(winner && ms_factors_equal(winner, report->winner));
  for (gsize i = 0; i < G_N_ELEMENTS(others); i++)
    g_assert_null(ms_winner_store_load(folder, &others[i], "7"));
  g_assert_null(ms_winner_store_load(folder, &key, "8"));
  /* That of a newer driver lies beside it. */
  g_assert_true(ms_winner_store_save(folder, &others[0], "7", report->winner, NULL));
  g_autoptr(MsFactors) newer = ms_winner_store_load(folder, &others[0], "7");
  g_autoptr(MsFactors) kept = ms_winner_store_load(folder, &key, "7");
  g_assert_true(newer && kept);
  g_auto(GStrv) none = ms_winner_store_find_damaged(folder);
  g_assert_cmpuint(g_strv_length(none), ==, 0);
  g_autofree char *path = ms_winner_store_path(folder, &key, ".winner.json");
  g_autofree char *nested = g_strnfill(1000000, '[');
  const char *const damaged[] = {"", "{", "[]", "null", "{\"winner\": {}}", nested};
  for (gsize i = 0; i < G_N_ELEMENTS(damaged); i++) {
    g_assert_true(g_file_set_contents(path, damaged[i], -1, NULL));
    g_assert_null(ms_winner_store_load(folder, &key, "7"));
    g_auto(GStrv) found = ms_winner_store_find_damaged(folder);
    g_assert_cmpstr(found[0], ==, path);
  }
}

void
ms_test_lab_tuner(void)
{
  g_test_add_func("/lab/tuner/all", test_all);
  g_test_add_func("/lab/tuner/greedy", test_greedy_within_budget);
  g_test_add_func("/lab/tuner/greedy-is-cheap", test_greedy_is_cheaper_than_all);
  g_test_add_func("/lab/tuner/budget", test_budget_ends_it);
  g_test_add_func("/lab/tuner/budget-holds", test_budget_holds);
  g_test_add_func("/lab/tuner/reference-in-time", test_reference_in_time);
  g_test_add_func("/lab/tuner/reference-in-bands", test_reference_in_bands);
  g_test_add_func("/lab/tuner/least-budget", test_least_budget);
  g_test_add_func("/lab/tuner/resumed-without-time", test_resumed_without_time);
  g_test_add_func("/lab/tuner/failed-trial-is-replaced", test_failed_trial_is_replaced);
  g_test_add_func("/lab/tuner/nothing-works", test_nothing_works);
  g_test_add_func("/lab/tuner/no-winner-has-a-reason", test_no_winner_has_a_reason);
  g_test_add_func("/lab/tuner/resume", test_resume);
  g_test_add_func("/lab/tuner/rank", test_rank);
  g_test_add_func("/lab/tuner/problem-classes", test_problem_classes);
  g_test_add_func("/lab/tuner/winner", test_winner);
}
