/* SPDX-License-Identifier: MIT */
/*
 * The experiments that are shipped, on a real device: every row is verified or refused, every report is written. The
 * suite and CI run the smallest experiment of each kind with one value or two, the long form all of them.
 */
#include <string.h>

#include "core/lab/experiment/experiment-file.h"
#include "core/lab/lab.h"
#include "core/lab/report/report.h"
#include "tests/lab/lab-fixture.h"
#include "tests/support/fixture.h"
#include "tests/support/json-schema.h"

static void
assert_json_fits(const MsReport *report)
{
  g_autoptr(JsonNode) node = ms_report_to_json_node(report);
  g_autofree char *violation = ms_test_schema_violation("data/report.schema.json", node);

  if (violation)
    g_error("%s: %s", report->experiment->name, violation);
}

/* Experiments of which nothing can be refused on any device with a usable plan have at least one verified row. */
static void
assert_something_ran(const MsReport *report)
{
  if (ms_report_count(report, MS_OUTCOME_OK) == 0)
    g_error("%s: nothing could be run", report->experiment->name);
}

/*
 * Leaves the smallest size, which is a smaller one where it is of a picture, of every other axis the first quick value,
 * the baseline's value, and in CI the last one.
 */
static void
thin_axes(MsExperiment *experiment)
{
  const gboolean takes_last = ms_fixture_form() >= MS_TEST_CI;

  for (guint i = 0; i < experiment->axes->len; i++) {
    const MsAxis *axis = experiment->axes->pdata[i];
    const gboolean is_size = strcmp(axis->key, "size") == 0 || strcmp(axis->key, "bytes") == 0;
    const char *baseline = experiment->baseline ? ms_factors_get(experiment->baseline, axis->key) : NULL;
    guint n = g_strv_length(axis->quick), kept = 0;

    for (guint k = 0; k < n; k++)
      if (k == 0 || (k == n - 1 && !is_size && takes_last) || g_strcmp0(axis->quick[k], baseline) == 0)
        axis->quick[kept++] = axis->quick[k];
      else
        g_free(axis->quick[k]);
    axis->quick[kept] = NULL;
    if (is_size && strchr(axis->quick[0], 'x')) {
      g_free(axis->quick[0]);
      axis->quick[0] = g_strdup("64x48");
    }
  }
}

/* Enough for a row that is verified after the first run and after the last. */
static void
measure_twice(MsLabFixture *f)
{
  f->request.measure.warm_up = 0;
  f->request.measure.min_repeats = f->request.measure.max_repeats = 2;
}

static GPtrArray *
run_thinned(MsLabFixture *f, const char *const *names)
{
  GPtrArray *reports = g_ptr_array_new_with_free_func((GDestroyNotify)ms_report_unref);

  measure_twice(f);
  for (const char *const *name = names; *name; name++) {
    g_autoptr(GError) error = NULL;
    g_autoptr(MsExperiment) experiment = ms_experiment_load(*name, &error);
    g_assert_no_error(error);
    thin_axes(experiment);
    g_ptr_array_add(reports, ms_lab_run_experiment(experiment, &f->request, NULL, &error));
    g_assert_no_error(error);
  }
  return reports;
}

/* As --experiment runs several: with an index of the reports. */
static GPtrArray *
run_campaign(MsLabFixture *f, const char *const *names, guint n)
{
  g_autoptr(GError) error = NULL;
  GPtrArray *reports = ms_lab_run_experiments(names, &f->request, NULL, &error);

  g_assert_no_error(error);
  g_assert_cmpuint(reports->len, ==, n);
  ms_lab_fixture_assert_file(f, "index", ".html");
  return reports;
}

/*
 * The smallest experiment of each kind, with the ends of its axes; in the long form every one that is shipped, with all
 * of their values.
 */
static GPtrArray *
run_shipped(MsLabFixture *f)
{
  static const char *const one_a_kind[] = {"countnonzero-types", "ms-access",    "ms-transfer",
                                           "split-adaptive",     "split-ratios", "swap-bitonic",
                                           "swap-example",       "swap-warps",   NULL};

  if (ms_fixture_form() < MS_TEST_LONG)
    return run_thinned(f, one_a_kind);
  g_auto(GStrv) shipped = ms_experiment_list_names();
  return run_campaign(f, (const char *const[]){"all", NULL}, g_strv_length(shipped));
}

static void
test_shipped(MsLabFixture *f, gconstpointer data)
{
  static const char *const endings[] = {".json", ".csv", ".tex", ".svg", ".pdf"};
  g_autoptr(GPtrArray) reports = run_shipped(f);

  for (guint i = 0; i < reports->len; i++) {
    const MsReport *report = reports->pdata[i];
    g_assert_true(report->complete);
    for (guint k = 0; k < report->rows->len; k++)
      ms_lab_fixture_assert_row(report, report->rows->pdata[k]);
    assert_something_ran(report);
    assert_json_fits(report);
    for (gsize k = 0; k < G_N_ELEMENTS(endings); k++)
      ms_lab_fixture_assert_file(f, report->experiment->name, endings[k]);
    g_test_message("%s: %u verified, %u refused", report->experiment->name, ms_report_count(report, MS_OUTCOME_OK),
                   ms_report_count(report, MS_OUTCOME_CONSTRAINT));
  }
}

static void
test_campaign(MsLabFixture *f, gconstpointer data)
{
  static const char *const names[] = {"ms-transfer", "swap-warps",
                                      NULL}; /* whose programs test_shipped() has compiled */

  measure_twice(f);
  g_autoptr(GPtrArray) reports = run_campaign(f, names, 2);

  for (guint i = 0; i < reports->len; i++)
    assert_something_ran(reports->pdata[i]);
}

int
main(int argc, char **argv)
{
  static const MsLabTest tests[] = {{"/lab/shipped", test_shipped}, {"/lab/campaign", test_campaign}};

  g_test_init(&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS(tests); i++)
    ms_lab_fixture_add(&tests[i]);
  return g_test_run();
}
