/* SPDX-License-Identifier: MIT */
/* The panel that searches for the fastest toggles: its table, its line, its winner, and searches that are ended. */
#include <math.h>
#include <string.h>

#include "core/chart/chart-private.h"
#include "core/engine/tuned.h"
#include "core/filter/settings/settings.h"
#include "core/lab/lab-tune.h"
#include "tests/gui/panel-fixture.h"
#include "tests/support/fixture.h"
#include "ui/document/document.h"
#include "ui/engine/window-engine.h"
#include "ui/panels/common/chart-view.h"
#include "ui/panels/common/table.h"
#include "ui/panels/tune/tune-panel.h"

static gboolean
is_made_at(const MsReport *report, double at_s)
{
  for (guint i = 0; i < report->rows->len; i++)
    if (((const MsReportRow *)report->rows->pdata[i])->measurement->at_s == at_s)
      return TRUE;
  return FALSE;
}

/* The least time of a trial in ms; after a final the winner may be another trial. */
static double
least_ms(const MsReport *report)
{
  double least = INFINITY;

  for (guint i = 0; i < report->rows->len; i++)
    least = fmin(least, ((const MsReportRow *)report->rows->pdata[i])->summary.median * 1e-6); /* passes over NAN */
  return least;
}

/* The table has a column for each toggle that was varied, and the line falls over the seconds of the search. */
static void
check_search(PanelFixture *f, const MsReport *record)
{
  GtkTreeView *tree = GTK_TREE_VIEW(find_by_type(f->panel, GTK_TYPE_TREE_VIEW));
  const MsChart *chart = ms_chart_view_get_chart(MS_CHART_VIEW(find_by_type(f->panel, MS_TYPE_CHART_VIEW)));
  g_autofree char *table = ms_table_text(tree, TRUE);
  g_auto(GStrv) lines = g_strsplit(table, "\n", 2);

  g_assert_nonnull(strstr(lines[0], ",unroll,"));
  g_assert_true(g_str_has_prefix(lines[0], "✓,median ms,"));
  g_assert_null(strstr(lines[0], "rank"));
  const char *kernel = strstr(lines[0], ",kernel");
  g_assert_true(!kernel || !strstr(kernel + 1, ",kernel"));
  g_assert_null(strstr(lines[0], "published")); /* empty columns are left out */
  g_assert_nonnull(strstr(lines[1], ",baseline,"));
  g_assert_cmpfloat(record->elapsed_s, >, 0);
  g_assert_cmpstr(chart->x.title, ==, "time of the search, s");
  const GArray *points = ((const MsChartSeries *)chart->series->pdata[0])->points;
  for (guint i = 0; i < points->len; i++) {
    const MsChartPoint *point = &g_array_index(points, MsChartPoint, i);
    g_assert_true(is_made_at(record, point->x));
    g_assert_cmpuint(point->row, >, 0);
    /* Trials of a process that the driver ended have the same time. */
    g_assert_true(i == 0 || point->x >= g_array_index(points, MsChartPoint, i - 1).x);
    g_assert_true(i == 0 || point->y <= g_array_index(points, MsChartPoint, i - 1).y);
  }
  if (points->len > 0)
    g_assert_cmpfloat(g_array_index(points, MsChartPoint, points->len - 1).y, ==, least_ms(record));
}

static void
test_tune(void)
{
  SET_UP_PANEL(f, MS_TYPE_TUNE_PANEL);
  MsTunePanel *panel = MS_TUNE_PANEL(f.panel);
  g_assert_true(ms_document_set_option(f.document, "sp", "3", NULL));
  panel_fixture_set_number(&f, "Budget in seconds", 600);
  panel_fixture_check(&f, "Start over", TRUE);
  g_assert_null(ms_tune_panel_get_best(panel));
  g_assert_nonnull(find_label_with(f.panel, "Searches for up to 600 s on "));
  gtk_button_clicked(GTK_BUTTON(find_button(f.panel, "_Tune")));
  wait_for(240, ms_tune_panel_get_best(panel) != NULL);
  ms_window_engine_cancel_holders(f.engine);
  wait_for(60, !ms_job_panel_is_running(MS_JOB_PANEL(panel)));
  const MsReportRow *best = ms_tune_panel_get_best(panel);
  MsChart *chart = ms_chart_view_get_chart(MS_CHART_VIEW(find_by_type(f.panel, MS_TYPE_CHART_VIEW)));
  g_assert_nonnull(chart->empty_text);
  g_assert_cmpuint(ms_chart_n_points(chart), !=, 1);
  g_assert_cmpfloat(best->summary.median, >, 0);
  const int before = tree_rows(GTK_TREE_VIEW(find_by_type(f.panel, GTK_TYPE_TREE_VIEW)));
  g_assert_cmpint(before, ==, ms_tune_panel_get_report(panel)->rows->len);
  g_assert_nonnull(find_label_with(f.panel, "Cancelled after "));
  assert_accessible_names(f.panel);
  panel_fixture_screenshot(&f, "tune");

  MsSettings wanted;
  g_assert_true(ms_settings_from_factors(best->factors, &wanted, NULL));
  gtk_button_clicked(GTK_BUTTON(find_button(f.panel, "_Apply Winner")));
  const MsSettings *now = ms_document_get_settings(f.document);
  g_assert_cmpmem(&now->options, sizeof now->options, &wanted.options, sizeof wanted.options);
  g_assert_cmpfloat(now->params.sp, ==, 3);

  /* A search that does not start over lists the trials of the search before. */
  panel_fixture_check(&f, "Start over", FALSE);
  panel_fixture_set_number(&f, "Budget in seconds", 5);
  ms_job_panel_run(MS_JOB_PANEL(panel));
  wait_for(120, !ms_job_panel_is_running(MS_JOB_PANEL(panel)));
  g_assert_nonnull(find_label_with(f.panel, "Done: "));
  g_assert_cmpint(tree_rows(GTK_TREE_VIEW(find_by_type(f.panel, GTK_TYPE_TREE_VIEW))), >=, before);
  g_assert_nonnull(find_label_with(f.panel, "kept for this device and driver."));
  check_search(&f, ms_tune_panel_get_report(panel));

  /* Runs with default toggles use the winner of the search until it is forgotten. */
  const MsReport *record = ms_tune_panel_get_report(panel);
  g_autofree char *problem = ms_lab_tune_problem(record->experiment->fixed);
  const MsWinnerKey key = {record->device.name, record->device.driver, problem};
  g_autoptr(MsFactors) kept = ms_winner_store_load(NULL, &key, MS_VERSION);
  g_assert_nonnull(kept);
  gtk_button_clicked(GTK_BUTTON(find_button(f.panel, "_Forget")));
  g_assert_null(ms_winner_store_load(NULL, &key, MS_VERSION));
  g_assert_nonnull(find_label_with(f.panel, "Forgotten: "));

  /* Closing the window during a search ends the search. */
  panel_fixture_check(&f, "Start over", TRUE);
  panel_fixture_set_number(&f, "Budget in seconds", 60);
  ms_job_panel_run(MS_JOB_PANEL(panel));
  g_autoptr(MsProgramJob) job = g_object_ref(ms_job_panel_get_job(MS_JOB_PANEL(panel)));
  panel_fixture_settle();
  panel_fixture_tear_down(&f);
  wait_for(60, !ms_program_job_is_running(job));
}

static void
test_without_document(void)
{
  panel_fixture_show_empty(MS_TYPE_TUNE_PANEL);
}

int
main(int argc, char **argv)
{
  gtk_test_init(&argc, &argv, NULL);
  g_test_add_func("/panel-tune/tune", test_tune);
  g_test_add_func("/panel-tune/without-document", test_without_document);
  return g_test_run();
}
