/* SPDX-License-Identifier: MIT */
/* Reports of several devices as one: the same rows, ratios within each device, and what was set differently. */
#include <string.h>

#include "core/chart/chart-private.h"
#include "core/lab/experiment/experiment-file.h"
#include "core/lab/report/report.h"
#include "tests/lab/report-fixture.h"
#include "tests/support/cases.h"

static GPtrArray *
two_devices(void)
{
  GPtrArray *reports = g_ptr_array_new_with_free_func((GDestroyNotify)ms_report_unref);

  for (guint i = 0; i < 2; i++) {
    MsReport *report = ms_report_fixture_new(1 + 3 * i);
    g_free(report->device.name);
    report->device.name = g_strdup(i == 0 ? "Fast GPU" : "Slow | CPU");
    report->quick = i == 1;
    g_ptr_array_add(reports, report);
  }
  return reports;
}

static void
test_table(void)
{
  g_autoptr(GPtrArray) reports = two_devices();
  g_autofree char *text = ms_reports_merge_to_text(reports);
  g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
  const char *row = NULL;

  for (char **line = lines; *line; line++)
    if (g_str_has_prefix(*line, "memory buffer, unroll 4"))
      row = *line;
  g_assert_nonnull(row);
  g_assert_nonnull(strstr(row, "2.5 (4×)"));
  g_assert_nonnull(strstr(row, "10 (1×)"));
  g_assert_nonnull(strstr(row, "(Old GPU)"));
  g_assert_nonnull(strstr(text, "10 (baseline)"));
  g_assert_nonnull(strstr(text, "Differs: sizes (Fast GPU: full; Slow | CPU: quick)."));
  g_assert_null(strstr(text, "Differs: version"));
}

/* Devices of one name are numbered, and a row that only one report has is a dash in the other's column. */
static void
test_same_name_and_missing_rows(void)
{
  g_autoptr(GPtrArray) reports = two_devices();
  MsReport *second = reports->pdata[1];

  g_free(second->device.name);
  second->device.name = g_strdup("Fast GPU");
  g_ptr_array_remove_index(second->rows, 2);
  g_autofree char *text = ms_reports_merge_to_text(reports);
  g_autoptr(MsChart) chart = ms_reports_merge_to_chart(reports, "sample", MS_LANGUAGE_ENGLISH);
  g_assert_nonnull(strstr(text, "Fast GPU #1"));
  g_assert_nonnull(strstr(text, "Fast GPU #2"));
  g_assert_nonnull(strstr(text, "2.5 (4×)"));
  g_assert_nonnull(strstr(text, " –  "));
  g_assert_cmpuint(chart->series->len, ==, 2);
  g_assert_cmpuint(ms_chart_n_points(chart), ==, 7);
}

/* The reports that are shipped can be read, are of shipped experiments, and can be merged. */
static void
test_shipped(void)
{
  g_autofree char *folder = g_build_filename(g_getenv("MS_SOURCE_ROOT"), "data", "experiments", "reports", NULL);
  g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
  guint n = 0;

  g_assert_nonnull(dir);
  for (const char *name = g_dir_read_name(dir); name; name = g_dir_read_name(dir)) {
    g_autofree char *path = g_build_filename(folder, name, NULL);
    g_autoptr(GError) error = NULL;
    if (!g_str_has_suffix(name, ".json"))
      continue;
    g_autoptr(GPtrArray) reports = ms_reports_load(path, &error);
    g_assert_no_error(error);
    for (guint i = 0; i < reports->len; i++) {
      const MsReport *report = reports->pdata[i];
      g_autoptr(MsExperiment) shipped = ms_experiment_load(report->experiment->name, &error);
      g_assert_no_error(error);
      g_assert_true(report->complete);
      g_assert_cmpuint(ms_report_count(report, MS_OUTCOME_WRONG), ==, 0);
    }
    g_autofree char *text = ms_reports_merge_to_text(reports);
    g_assert_cmpuint(strlen(text), >, 100);
    n++;
  }
  g_assert_cmpuint(n, >, 0);
}

void
ms_test_lab_merge(void)
{
  g_test_add_func("/lab/merge/table", test_table);
  g_test_add_func("/lab/merge/same-name-and-missing-rows", test_same_name_and_missing_rows);
  g_test_add_func("/lab/merge/shipped", test_shipped);
}
