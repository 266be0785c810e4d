/* SPDX-License-Identifier: MIT */
/* The tuner on a simulated device: a planted optimum among configurations that are refused, fail, differ or hang. */
#include <string.h>

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
  g_autoptr(MsTuneRecord) record = ms_tune_record_new("fake", "1.0", "test");
  MsTuneOptions options = {60, FALSE, 1, NULL};

  g_assert_cmpuint(ms_tune_space_size(space), ==, 150);
  g_assert_true(ms_tune_search(space, record, &options, NULL, NULL));
  tune_fixture_assert_optimum(record);
  g_assert_true(record->complete);
  g_assert_cmpuint(record->trials->len, ==, 150);
  g_assert_cmpuint(ms_tune_record_count(record, MS_OUTCOME_CONSTRAINT), ==, 6 * 6);
  g_assert_cmpuint(ms_tune_record_count(record, MS_OUTCOME_BUILD), ==, 6);
  g_assert_cmpuint(ms_tune_record_count(record, MS_OUTCOME_RUN), ==, 6);
  g_assert_cmpuint(ms_tune_record_count(record, MS_OUTCOME_WRONG), ==, 6);
  g_assert_cmpuint(ms_tune_record_count(record, MS_OUTCOME_TIMEOUT), ==, 6);
  g_assert_cmpuint(ms_tune_record_count(record, MS_OUTCOME_OK), ==, 150 - 36 - 24);
  g_assert_cmpuint(device.evaluations, ==, 150 - 36);
}

static void
test_greedy_within_budget(void)
{
  for (guint32 seed = 1; seed <= 5; seed++) {
    TuneDevice device = {0};
    g_autoptr(MsTuneSpace) space = tune_fixture_space(&device);
    g_autoptr(MsTuneRecord) record = ms_tune_record_new("fake", "1.0", "test");
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
  g_autoptr(MsTuneRecord) record = ms_tune_record_new("fake", "1.0", "test");
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
  g_autoptr(MsTuneRecord) record = ms_tune_record_new("fake", "1.0", "test");
  MsTuneOptions options = {0.2, FALSE, 1, NULL};
  gint64 start = g_get_monotonic_time();

  ms_tune_space_add(space, "width", (const char *const[]){"64", NULL}); /* all of them hang */
  ms_tune_space_add(space, "height", (const char *const[]){"4", NULL});
  ms_tune_space_add(space, "unroll", (const char *const[]){"1", "2", "4", NULL});
  ms_tune_space_add(space, "memory", (const char *const[]){"buffer", "image", NULL});
  g_assert_true(ms_tune_search(space, record, &options, NULL, NULL));
  g_assert_cmpint(g_get_monotonic_time() - start, <, 30 * G_USEC_PER_SEC);
  g_assert_cmpuint(record->trials->len, <, 6);
  g_assert_false(record->complete);
  g_assert_null(ms_tune_record_best(record));
}

static gint64
read_clock(gpointer device)
{
  return ((TuneDevice *)device)->now_us++;
}

/* Each trial says when it was known, to the second; a record that was read still does. */
static void
check_times(const MsTuneRecord *record)
{
  g_autoptr(JsonNode) node = ms_tune_record_to_json_node(record);
  g_autoptr(MsTuneRecord) back = ms_tune_record_from_json_node(node, NULL);
  double evaluated = 0;

  for (guint i = 0; i < back->trials->len; i++) {
    const MsTrial *trial = back->trials->pdata[i];
    evaluated += trial->outcome == MS_OUTCOME_CONSTRAINT ? 0 : 3;
    g_assert_cmpfloat_with_epsilon(trial->at_s, evaluated, 0.01);
  }
  g_assert_cmpfloat_with_epsilon(back->elapsed_s, 9, 0.01);
}

/* Builds cannot be cancelled, so no configuration is started that would probably end after the budget. */
static void
test_budget_holds(void)
{
  TuneDevice device = {.evaluation_us = 3 * G_USEC_PER_SEC};
  g_autoptr(MsTuneSpace) space = tune_fixture_space(&device);
  g_autoptr(MsTuneRecord) record = ms_tune_record_new("fake", "1.0", "test");
  MsTuneOptions options = {10, FALSE, 1, NULL, read_clock, &device};

  g_assert_true(ms_tune_search(space, record, &options, NULL, NULL));
  g_assert_cmpuint(device.evaluations, ==, 3);
  check_times(record);
  /* A search that resumes has a winner already and keeps to its budget from the first configuration on. */
  options.budget_s = 1e-9;
  g_assert_true(ms_tune_search(space, record, &options, NULL, NULL));
  g_assert_cmpuint(device.evaluations, ==, ms_tune_record_best(record) ? 3 : 4);
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
  g_autoptr(MsTuneRecord) record = ms_tune_record_new("fake", "1.0", "test");
  MsTuneOptions options = {1e-9, FALSE, 1, NULL};

  g_assert_true(ms_tune_search(space, record, &options, NULL, NULL));
  g_assert_nonnull(ms_tune_record_best(record));
  g_assert_false(record->complete);
}

/* A search that goes on in another process has had its first configuration, so that its budget can be over. */
static void
test_resumed_without_time(void)
{
  TuneDevice device = {0};
  g_autoptr(MsTuneSpace) space = tune_fixture_space(&device);
  g_autoptr(MsTuneRecord) record = ms_tune_record_new("fake", "1.0", "test");
  MsTuneOptions options = {1e-9, TRUE, 1, NULL, read_clock, &device};

  g_assert_true(ms_tune_search(space, record, &options, NULL, NULL));
  g_assert_cmpuint(device.evaluations, ==, 0);
  g_assert_cmpuint(record->trials->len, ==, 0);
}

/* The configuration that ended the process replaces its own time, and cannot win. */
static void
test_failed_trial_is_replaced(void)
{
  g_autoptr(MsTuneRecord) record = tune_fixture_search();
  g_autoptr(MsFactors) winner = ms_factors_copy(ms_tune_record_best(record)->factors);
  g_autoptr(MsMeasurement) death = ms_measurement_new();

  ms_measurement_fail(death, MS_OUTCOME_RUN, "The process died.", NULL);
  ms_tune_record_fail(record, winner, death);
  g_assert_cmpuint(record->trials->len, ==, 150);
  g_assert_cmpint(ms_tune_record_find(record, winner)->outcome, ==, MS_OUTCOME_RUN);
  g_assert_cmpstr(ms_tune_record_find(record, winner)->message, ==, "The process died.");
  g_assert_nonnull(ms_tune_record_best(record));
  g_assert_false(ms_factors_equal(ms_tune_record_best(record)->factors, winner));
  for (guint i = 0; i < record->trials->len; i++) {
    const MsTrial *trial = record->trials->pdata[i];
    g_assert_true(trial->outcome != MS_OUTCOME_OK || trial->ns >= ms_tune_record_best(record)->ns);
  }
}

static void
test_nothing_works(void)
{
  static const double budgets[] = {5, 60}; /* for some of the space, and for all of it */

  for (gsize i = 0; i < G_N_ELEMENTS(budgets); i++) {
    TuneDevice device = {.everything_fails = TRUE};
    g_autoptr(MsTuneSpace) space = tune_fixture_space(&device);
    g_autoptr(MsTuneRecord) record = ms_tune_record_new("fake", "1.0", "test");
    MsTuneOptions options = {budgets[i], FALSE, 1, NULL};
    g_assert_true(ms_tune_search(space, record, &options, NULL, NULL));
    g_assert_null(ms_tune_record_best(record));
    g_assert_cmpuint(ms_tune_record_count(record, MS_OUTCOME_OK), ==, 0);
    g_assert_cmpuint(ms_tune_record_count(record, MS_OUTCOME_BUILD), >, 0);
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
  g_autoptr(MsTuneRecord) record = ms_tune_record_new("fake", "1.0", "test");
  g_autoptr(MsTuneRecord) failed = ms_tune_record_new("fake", "1.0", "test");
  g_autoptr(GError) error = NULL;

  g_assert_false(ms_tune_record_check(record, &error));
  g_assert_error(error, MS_ERROR, MS_ERROR_TIMEOUT);
  g_assert_nonnull(strstr(error->message, "--budget"));
  g_clear_error(&error);
  g_assert_true(ms_tune_search(broken, failed, &options, NULL, NULL));
  g_assert_false(ms_tune_record_check(failed, &error));
  g_assert_error(error, MS_ERROR, MS_ERROR_DEVICE);
  g_assert_nonnull(strstr(error->message, ((MsTrial *)failed->trials->pdata[0])->message));
  g_clear_error(&error);
  g_assert_true(ms_tune_search(space, record, &options, NULL, NULL));
  g_assert_true(ms_tune_record_check(record, &error));
  g_assert_no_error(error);
}

/* A cancelled search that is saved, loaded and continued evaluates no configuration twice. */
static void
test_resume(void)
{
  g_autofree char *folder = g_dir_make_tmp("tuning-XXXXXX", NULL);
  g_autoptr(GCancellable) stop = g_cancellable_new();
  g_autoptr(GError) error = NULL;
  TuneDevice device = {.cancel_after = 30, .campaign = stop};
  g_autoptr(MsTuneSpace) space = tune_fixture_space(&device);
  g_autoptr(MsTuneRecord) record = ms_tune_record_new("fake", "1.0", "test");
  MsTuneOptions options = {60, FALSE, 1, NULL};

  g_assert_false(ms_tune_search(space, record, &options, stop, &error));
  g_assert_error(error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_assert_false(record->complete);
  record->measured = ms_factors_parse("size:640x480 sp:10", NULL);
  guint known = record->trials->len;
  g_autoptr(MsTuneRecord) loaded = tune_fixture_reload(folder, record);
  g_assert_cmpuint(loaded->trials->len, ==, known);
  guint known_evaluated = known - ms_tune_record_count(record, MS_OUTCOME_CONSTRAINT);
  device = (TuneDevice){0};
  g_assert_true(ms_tune_search(space, loaded, &options, NULL, NULL));
  tune_fixture_assert_optimum(loaded);
  g_assert_cmpuint(device.evaluations, ==, 150 - 36 - known_evaluated);
  g_autoptr(MsTuneRecord) whole = tune_fixture_reload(folder, loaded);
  tune_fixture_assert_optimum(whole);
  g_assert_true(whole->complete);
  g_assert_true(ms_factors_equal(whole->measured, record->measured));
  device = (TuneDevice){0};
  g_assert_true(ms_tune_search(space, whole, &options, NULL, NULL));
  g_assert_cmpuint(device.evaluations, ==, 0);
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
}
