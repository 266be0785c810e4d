/* SPDX-License-Identifier: MIT */
/* The panels of comparisons and experiments, with their exports read back. */
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "core/chart/chart-private.h"
#include "core/filter/settings/settings.h"
#include "core/lab/experiment/experiment-file.h"
#include "core/lab/report/report-metric.h"
#include "core/lab/report/report-verdict.h"
#include "core/lab/report/report.h"
#include "tests/gui/panel-fixture.h"
#include "tests/support/fixture.h"
#include "ui/document/document.h"
#include "ui/document/flips.h"
#include "ui/engine/window-engine.h"
#include "ui/panels/common/chart-view.h"
#include "ui/panels/common/report-files.h"
#include "ui/panels/common/table.h"
#include "ui/panels/compare/compare-panel.h"
#include "ui/panels/experiment/experiment-panel.h"
#include "ui/panels/experiment/own-experiment.h"
#include "tests/lab/report-fixture.h"

static void
check_csv(const char *text, const MsReport *report)
{
  g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
  guint rows = 0;

  for (guint i = 0; lines[i]; i++)
    rows += *lines[i] && *lines[i] != '#';
  g_assert_cmpuint(rows, ==, report->rows->len + 1);
  for (guint i = 0; i < report->rows->len; i++)
    g_assert_nonnull(strstr(text, ((MsReportRow *)report->rows->pdata[i])->label));
}

static void
check_same_rows(const MsReport *back, const MsReport *report)
{
  g_assert_nonnull(back);
  g_assert_cmpuint(back->rows->len, ==, report->rows->len);
  for (guint i = 0; i < back->rows->len; i++) {
    const MsReportRow *a = back->rows->pdata[i], *b = report->rows->pdata[i];
    g_assert_cmpstr(a->label, ==, b->label);
    g_assert_cmpfloat_with_epsilon(a->summary.median, b->summary.median, 0.5);
  }
}

static void
check_json(const char *text, const MsReport *report)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(MsReport) back = ms_report_fixture_read(text, -1, &error);

  g_assert_no_error(error);
  check_same_rows(back, report);
}

static void
check_svg(const char *text, const MsReport *report)
{
  g_autoptr(GMarkupParseContext) context = g_markup_parse_context_new(&(GMarkupParser){0}, 0, NULL, NULL);
  g_autoptr(GError) error = NULL;

  g_assert_true(g_markup_parse_context_parse(context, text, -1, &error));
  g_assert_no_error(error);
  g_assert_true(g_markup_parse_context_end_parse(context, &error));
  g_assert_nonnull(strstr(text, "<svg"));
}

static void
check_png(const char *path)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(MsImage) image = ms_image_load(path, NULL, NULL, &error);

  g_assert_no_error(error);
  g_assert_cmpint(ms_image_get_width(image), >=, 960);
}

static void
check_export(MsReportView *view, const char *folder, const char *extension)
{
  MsReport *report = ms_report_view_get_report(view);
  g_autofree char *name = g_strdup_printf("report.%s", extension);
  g_autofree char *path = g_build_filename(folder, name, NULL);
  g_autofree char *text = NULL;

  ms_report_view_export_to(view, path);
  wait_for(30, find_label_with(GTK_WIDGET(view), path));
  g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
  if (g_str_equal(extension, "csv"))
    check_csv(text, report);
  else if (g_str_equal(extension, "json"))
    check_json(text, report);
  else if (g_str_equal(extension, "svg"))
    check_svg(text, report);
  else if (g_str_equal(extension, "png"))
    check_png(path);
  else
    g_assert_nonnull(strstr(text, "| "));
  g_assert_cmpint(g_remove(path), ==, 0);
}

static void
check_exports(MsReportView *view)
{
  static const char *const extensions[] = {"csv", "json", "svg", "png"};
  g_autofree char *folder = g_dir_make_tmp("ms-export-XXXXXX", NULL);

  for (guint i = 0; i < G_N_ELEMENTS(extensions); i++)
    check_export(view, folder, extensions[i]);
  g_assert_cmpint(g_rmdir(folder), ==, 0);
}

static MsReportView *
view_of(PanelFixture *f)
{
  return MS_REPORT_VIEW(find_by_type(f->panel, MS_TYPE_REPORT_VIEW));
}

static void
check_order(const MsReport *report)
{
  for (guint i = 0; i < report->rows->len; i++) {
    const MsReportRow *row = report->rows->pdata[i];
    g_assert_cmpint(row->measurement->outcome, ==, MS_OUTCOME_OK);
    g_assert_true(row->measurement->verification.done);
    g_assert_cmpuint(row->measurement->verification.mismatches, ==, 0);
    if (i > 0)
      g_assert_cmpfloat(((MsReportRow *)report->rows->pdata[i - 1])->summary.median, <=, row->summary.median);
  }
}

/* A run on the open picture does not count as scaled down, and bars of times begin at 0 on a linear axis. */
static void
check_scale(const MsReport *report)
{
  g_autoptr(MsChart) chart = ms_report_to_chart(report, MS_LANGUAGE_ENGLISH);

  g_assert_false(report->quick);
  g_assert_null(strstr(chart->subtitle, "quick"));
  g_autofree char *title = g_strconcat(ms_metric_title("time", MS_LANGUAGE_ENGLISH), "; whiskers: quartiles", NULL);
  g_assert_cmpstr(chart->y.title, ==, title);
  g_assert_false(chart->y.logarithmic);
}

/* What the text says of the kernel time, in milliseconds. */
static double
estimated_ms(GtkLabel *note)
{
  const char *about = strstr(gtk_label_get_text(note), " runs, about ");
  char *unit = NULL;
  const double number = about ? g_strtod(about + strlen(" runs, about "), &unit) : 0;

  return g_str_has_prefix(unit ? unit : "", " ms ") ? number : number * 1000;
}

static void
test_compare(void)
{
  SET_UP_PANEL(f, MS_TYPE_COMPARE_PANEL);
  MsComparePanel *panel = MS_COMPARE_PANEL(f.panel);
  g_assert_true(ms_document_set_option(f.document, "kernel", "direct", NULL));
  g_assert_true(ms_document_set_option(f.document, "sp", "3", NULL));
  g_assert_nonnull(find_label_with(f.panel, "Choose the values to compare."));
  g_assert_false(gtk_widget_get_sensitive(find_button(f.panel, "_Apply")));
  panel_fixture_check(&f, "Unroll 1", TRUE);
  panel_fixture_check(&f, "Unroll 2", TRUE);
  panel_fixture_check(&f, "Unroll 4", TRUE);
  panel_fixture_check(&f, "Access vload", TRUE);
  panel_fixture_settle();
  g_autofree char *device =
    ms_device_short_name(ms_panel_get_device(MS_PANEL(panel))->name, ms_panel_get_device(MS_PANEL(panel))->platform);
  panel_fixture_set_number(&f, "Repeats", 3);
  g_autofree char *runs = g_strdup_printf("4 configurations on %s: 12 runs", device);
  GtkLabel *note = GTK_LABEL(find_label_with(f.panel, runs));
  g_assert_true(g_str_has_prefix(gtk_label_get_text(note), runs));
  panel_fixture_filter(&f, NULL, NULL);
  wait_for(60, strstr(gtk_label_get_text(note), "12 runs, about "));
  g_assert_true(g_str_has_suffix(gtk_label_get_text(note), "s of kernel time"));
  const double of_three = estimated_ms(note);
  panel_fixture_set_number(&f, "Repeats", 30);
  wait_for(10, strstr(gtk_label_get_text(note), "120 runs, about "));
  g_assert_cmpfloat_with_epsilon(estimated_ms(note) / of_three, 10, 1); /* both have two digits */
  panel_fixture_set_number(&f, "Repeats", 3);
  gtk_button_clicked(GTK_BUTTON(find_button(f.panel, "_Compare")));
  g_assert_true(ms_job_panel_is_running(MS_JOB_PANEL(panel)));
  wait_for(120, !ms_job_panel_is_running(MS_JOB_PANEL(panel)));

  MsReport *report = ms_report_view_get_report(view_of(&f));
  g_assert_nonnull(report);
  g_assert_cmpuint(report->rows->len, ==, 4);
  check_order(report);
  check_scale(report);
  g_autofree char *result = ms_compare_result_text(report);
  g_assert_nonnull(find_label_with(f.panel, result));
  for (guint i = 0; i < report->rows->len; i++)
    g_assert_cmpuint(((MsReportRow *)report->rows->pdata[i])->summary.n, ==, 3);
  assert_accessible_names(f.panel);
  panel_fixture_screenshot(&f, "compare");
  check_exports(view_of(&f));

  /* A row applies its toggles and leaves the parameters as they are. */
  g_assert_true(ms_document_set_option(f.document, "sr", "33", NULL));
  MsReportRow *last = report->rows->pdata[3];
  MsSettings wanted;
  g_assert_true(ms_settings_from_factors(last->factors, &wanted, NULL));
  g_signal_emit_by_name(view_of(&f), "row-chosen", 3);
  const MsSettings *now = ms_document_get_settings(f.document);
  g_assert_cmpmem(&now->options, sizeof now->options, &wanted.options, sizeof wanted.options);
  g_assert_cmpfloat(now->params.sr, ==, 33);
}

/* Under the kernel `auto`, the name of a row says that its value needs another kernel. */
static void
check_kernel_named(PanelFixture *f, const char *label, const char *column)
{
  MsReport *report = ms_report_view_get_report(view_of(f));
  GtkTreeView *tree = GTK_TREE_VIEW(find_by_type(f->panel, GTK_TYPE_TREE_VIEW));
  g_autofree char *table = ms_table_text(tree, TRUE), *cell = g_strconcat(",", column, ",", NULL);
  guint found = 0;

  for (guint i = 0; i < report->rows->len; i++)
    found += strcmp(((MsReportRow *)report->rows->pdata[i])->label, label) == 0;
  g_assert_cmpuint(found, ==, 1);
  g_assert_nonnull(strstr(table, cell));
}

static void
test_compare_kernel(void)
{
  SET_UP_PANEL(f, MS_TYPE_COMPARE_PANEL);
  MsSettings resolved;
  g_assert_true(ms_document_set_option(f.document, "sp", "3", NULL));
  g_assert_true(ms_document_resolve(f.document, ms_document_get_settings(f.document), &resolved));
  if (resolved.options.kernel == MS_KERNEL_DIRECT)
    return; /* a device that has no other */
  panel_fixture_check(&f, "Unroll 1", TRUE);
  panel_fixture_check(&f, "Unroll 2", TRUE);
  panel_fixture_set_number(&f, "Repeats", 1);
  panel_fixture_settle();
  ms_job_panel_run(MS_JOB_PANEL(f.panel));
  wait_for(120, !ms_job_panel_is_running(MS_JOB_PANEL(f.panel)));
  check_kernel_named(&f, "unroll 2, kernel direct", "\"unroll 2, kernel direct\"");

  gtk_combo_box_set_active_id(GTK_COMBO_BOX(find_by_type(f.panel, GTK_TYPE_COMBO_BOX)), "all");
  panel_fixture_settle();
  ms_job_panel_run(MS_JOB_PANEL(f.panel));
  wait_for(120, !ms_job_panel_is_running(MS_JOB_PANEL(f.panel)));
  check_kernel_named(&f, "unroll 2, kernel direct", "2,direct");
}

static void
test_compare_cancel(void)
{
  SET_UP_PANEL(f, MS_TYPE_COMPARE_PANEL);
  MsComparePanel *panel = MS_COMPARE_PANEL(f.panel);
  g_assert_true(ms_document_set_option(f.document, "kernel", "direct", NULL));
  panel_fixture_check(&f, "Unroll 2", TRUE);
  panel_fixture_check(&f, "Unroll 4", TRUE);
  panel_fixture_set_number(&f, "Repeats", 1000);
  panel_fixture_settle();
  ms_job_panel_run(MS_JOB_PANEL(panel));
  panel_fixture_settle();
  gtk_button_clicked(GTK_BUTTON(find_button(f.panel, "C_ancel")));
  wait_for(60, !ms_job_panel_is_running(MS_JOB_PANEL(panel)));
  g_assert_nonnull(find_label_with(f.panel, "Cancelled; the results so far are shown."));

  /* Closing the window during a comparison ends cleanly. */
  ms_job_panel_run(MS_JOB_PANEL(panel));
  panel_fixture_settle();
}

/* Wrong results and refused configurations come last. */
static void
test_compare_order(void)
{
  g_autoptr(MsExperiment) experiment = ms_experiment_new("order", "Order", "mean-shift");
  g_autoptr(MsReport) report = ms_report_new(experiment);
  const struct {
    const char *label;
    double ns;
    MsOutcome outcome;
  } rows[] = {{"wrong", 1, MS_OUTCOME_WRONG},
              {"slow", 30, MS_OUTCOME_OK},
              {"refused", 0, MS_OUTCOME_CONSTRAINT},
              {"fast", 20, MS_OUTCOME_OK}};

  for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autoptr(MsFactors) settings = ms_factors_new();
    ms_factors_set(settings, "case", rows[i].label);
    MsReportRow *row = ms_report_add_row(report, settings, rows[i].label, "g");
    for (int k = 0; k < 5; k++)
      g_array_append_val(row->measurement->samples, rows[i].ns);
    row->measurement->outcome = rows[i].outcome;
    ms_report_finish_row(report, row);
  }
  ms_compare_sort(report);
  g_assert_cmpstr(((MsReportRow *)report->rows->pdata[0])->label, ==, "fast");
  g_assert_cmpstr(((MsReportRow *)report->rows->pdata[1])->label, ==, "slow");
}

/* (transfer full): two configurations of ten rounds; the second takes @even or @odd times as long, round by round */
static MsReport *
two_rows(double even, double odd)
{
  g_autoptr(MsExperiment) experiment = ms_experiment_new("two", "Two", "mean-shift");
  MsReport *report = ms_report_new(experiment);

  for (guint i = 0; i < 2; i++) {
    g_autoptr(MsFactors) settings = ms_factors_new();
    const char *name = i ? "second" : "first";
    ms_factors_set(settings, "case", name);
    MsReportRow *row = ms_report_add_row(report, settings, name, "g");
    for (guint k = 0; k < 10; k++) {
      const double ns = i == 0 ? 1e6 : 1e6 * (k % 2 ? odd : even);
      g_array_append_val(row->measurement->samples, ns);
      g_array_append_val(row->measurement->rounds, k);
    }
    row->measurement->outcome = MS_OUTCOME_OK;
    ms_report_finish_row(report, row);
  }
  return report;
}

/* What may be noise is not called the fastest, and a report that has only begun says so in its chart. */
static void
test_compare_result(void)
{
  g_autoptr(MsReport) clear = two_rows(2, 2.1), close = two_rows(0.9, 1.2);
  g_autofree char *certain = ms_compare_result_text(clear), *uncertain = ms_compare_result_text(close);

  g_assert_cmpstr(certain, ==, "Fastest: first, 1.00 ms");
  g_assert_cmpstr(uncertain, ==, "Fastest, not certain: first or second, 1.00 ms");
}

static void
test_unfinished_chart(void)
{
  g_autoptr(MsExperiment) experiment = ms_experiment_new("begun", "Begun", "mean-shift");
  g_autoptr(MsReport) report = ms_report_new(experiment);
  g_autoptr(MsFactors) settings = ms_factors_new();

  MsReportRow *row = ms_report_add_row(report, settings, "only", "g");
  row->measurement->outcome = MS_OUTCOME_PENDING;
  g_autoptr(MsChart) begun = ms_report_to_chart(report, MS_LANGUAGE_ENGLISH);
  g_assert_cmpstr(begun->empty_text, ==, "Nothing has been measured yet.");
  row->measurement->outcome = MS_OUTCOME_CONSTRAINT;
  g_autoptr(MsChart) failed = ms_report_to_chart(report, MS_LANGUAGE_ENGLISH);
  g_assert_null(failed->empty_text);
}

static void
test_compare_plan(void)
{
  MsSettings settings = ms_settings_default();
  g_autoptr(MsExperiment) choices = ms_experiment_new("choices", "", "mean-shift");
  static const char *const unrolls[] = {"1", "2", "4", NULL};
  static const char *const memories[] = {"buffer", "image", NULL};

  g_assert_cmpuint(ms_compare_count(&settings, choices, MS_COMPARE_ONE_AT_A_TIME), ==, 1);
  ms_experiment_add_axis(choices, "unroll", unrolls, NULL);
  ms_experiment_add_axis(choices, "memory", memories, NULL);
  g_assert_cmpuint(ms_compare_count(&settings, choices, MS_COMPARE_ONE_AT_A_TIME), ==, 4);
  g_assert_cmpuint(ms_compare_count(&settings, choices, MS_COMPARE_ALL_COMBINATIONS), ==, 6);

  g_autoptr(MsExperiment) all = ms_compare_experiment(&settings, choices, MS_COMPARE_ALL_COMBINATIONS);
  g_autoptr(GPtrArray) configurations = ms_experiment_expand(all, FALSE);
  for (guint i = 0; i < configurations->len; i++) {
    MsSettings one;
    g_assert_true(ms_settings_from_factors(configurations->pdata[i], &one, NULL));
    g_assert_true(ms_params_equal(&one.params, &settings.params));
    g_assert_cmpint(one.options.kernel, ==, settings.options.kernel);
  }
}

/* The experiments are the children of the rows of studies. */
static guint
count_experiments(PanelFixture *f)
{
  GtkTreeModel *model = gtk_tree_view_get_model(GTK_TREE_VIEW(find_named(f->panel, "Experiments")));
  GtkTreeIter study;
  guint n = 0;

  for (gboolean more = gtk_tree_model_get_iter_first(model, &study); more;
       more = gtk_tree_model_iter_next(model, &study))
    n += (guint)gtk_tree_model_iter_n_children(model, &study);
  return n;
}

/* (transfer full): what the list says of the last run of an experiment, which gets selected */
static char *
status_of(PanelFixture *f, const char *name)
{
  GtkTreeView *tree = GTK_TREE_VIEW(find_named(f->panel, "Experiments"));
  GtkTreeModel *model;
  GtkTreeIter iter;
  char *status = NULL;

  g_assert_true(ms_experiment_panel_select(MS_EXPERIMENT_PANEL(f->panel), name));
  g_assert_true(gtk_tree_selection_get_selected(gtk_tree_view_get_selection(tree), &model, &iter));
  gtk_tree_model_get(model, &iter, 4, &status, -1);
  return status;
}

/* A window that starts: its panel has run nothing yet. */
static void
start_again(PanelFixture *f)
{
  gtk_widget_destroy(f->panel);
  f->panel = g_object_new(MS_TYPE_EXPERIMENT_PANEL, "visible", TRUE, NULL);
  gtk_container_add(GTK_CONTAINER(f->window), f->panel);
  g_object_set(f->panel, "document", f->document, NULL);
}

/* The next window shows the last result of this device, and one whose file is damaged is left out with a note. */
static void
check_kept(PanelFixture *f, MsReport *report, const char *status)
{
  g_autofree char *folder = ms_kept_reports_folder(report->device.name, report->device.platform);
  g_autofree char *kept = g_build_filename(folder, "ms-unroll.json", NULL);
  g_autofree char *damaged = g_build_filename(folder, "ms-access.json", NULL);

  g_assert_true(g_file_set_contents(damaged, "{\"rows\": [", -1, NULL));
  start_again(f);
  wait_for(30, find_label_with(f->panel, "A kept result is left out: "));
  g_assert_nonnull(find_label_with(f->panel, damaged));
  g_autofree char *again = status_of(f, "ms-unroll");
  g_assert_cmpstr(again, ==, status);
  check_same_rows(ms_report_view_get_report(view_of(f)), report);
  g_autofree char *other = status_of(f, "ms-access");
  g_assert_cmpstr(other, ==, "not run yet");
  g_assert_null(ms_report_view_get_report(view_of(f)));
  g_assert_cmpint(g_remove(damaged), ==, 0);
  g_assert_cmpint(g_remove(kept), ==, 0);
}

static void
test_experiments(void)
{
  SET_UP_PANEL(f, MS_TYPE_EXPERIMENT_PANEL);
  MsExperimentPanel *panel = MS_EXPERIMENT_PANEL(f.panel);
  g_auto(GStrv) names = ms_experiment_list_names();
  g_assert_cmpuint(count_experiments(&f), ==, g_strv_length(names));
  g_assert_cmpuint(g_strv_length(names), >, 0);
  for (guint i = 0; names[i]; i++)
    g_assert_true(ms_experiment_panel_select(panel, names[i]));

  g_assert_true(ms_experiment_panel_select(panel, "ms-unroll"));
  g_assert_nonnull(find_label_with(f.panel, "Varies:"));
  g_assert_nonnull(find_label_with(f.panel, "Tesla C2050: speed-up 1.34"));
  panel_fixture_settle();
  GtkWidget *quick = find_button(f.panel, "_Quick");
  g_assert_false(gtk_toggle_button_get_active(GTK_TOGGLE_BUTTON(quick)));
  gtk_button_clicked(GTK_BUTTON(quick));
  gtk_button_clicked(GTK_BUTTON(find_button(f.panel, "_Run")));
  wait_for(240, !ms_job_panel_is_running(MS_JOB_PANEL(panel)));
  MsReport *report = ms_report_view_get_report(view_of(&f));
  g_assert_nonnull(report);
  g_assert_true(report->complete);
  g_assert_cmpuint(ms_report_count(report, MS_OUTCOME_WRONG), ==, 0);
  g_assert_cmpuint(ms_report_count(report, MS_OUTCOME_OK), >=, 3);
  g_assert_nonnull(find_label_with(f.panel, "Done: "));
  g_autofree char *status = status_of(&f, "ms-unroll"), *other = status_of(&f, "ms-access");
  g_assert_true(ms_experiment_panel_select(panel, "ms-unroll"));
  g_autofree char *verdict = g_strdup_printf("%s, ", ms_finding_verdict_name(ms_report_judge(report)));
  g_assert_true(g_str_has_prefix(status, verdict));
  g_assert_cmpstr(other, ==, "not run yet");
  MsChart *chart = ms_chart_view_get_chart(MS_CHART_VIEW(find_by_type(f.panel, MS_TYPE_CHART_VIEW)));
  g_assert_cmpuint(ms_chart_n_points(chart), >=, 3);
  assert_accessible_names(f.panel);
  panel_fixture_screenshot(&f, "experiments");
  check_exports(view_of(&f));

  /* Another experiment shows no report yet; selecting the first one again shows its report. */
  g_assert_true(ms_experiment_panel_select(panel, "ms-access"));
  g_assert_null(ms_report_view_get_report(view_of(&f)));
  g_assert_true(ms_experiment_panel_select(panel, "ms-unroll"));
  g_assert_true(ms_report_view_get_report(view_of(&f)) == report);

  g_autoptr(MsReport) last = ms_report_ref(report);
  check_kept(&f, last, status);
}

static void
test_own_experiment(void)
{
  g_autofree char *folder = g_dir_make_tmp("ms-experiment-XXXXXX", NULL);
  g_autofree char *path = g_build_filename(folder, "mine.experiment", NULL);
  g_autoptr(GError) error = NULL;
  const char *text = "[Experiment]\nTitle=Mine\nKind=mean-shift\nDescription=Two radii.\n\n[Axes]\nsp=2;3\n\n"
                     "[Fixed]\nsize=64x48\nsr=10\n\n[Plot]\nType=bars\nX=sp\nY=time\n";

  SET_UP_PANEL(f, MS_TYPE_EXPERIMENT_PANEL);
  MsExperimentPanel *panel = MS_EXPERIMENT_PANEL(f.panel);
  g_assert_true(g_file_set_contents(path, text, -1, NULL));
  g_assert_true(ms_experiment_panel_add_file(panel, path, &error));
  g_assert_no_error(error);
  gtk_button_clicked(GTK_BUTTON(find_button(f.panel, "_Quick")));
  ms_job_panel_run(MS_JOB_PANEL(panel));
  wait_for(240, !ms_job_panel_is_running(MS_JOB_PANEL(panel)));
  MsReport *report = ms_report_view_get_report(view_of(&f));
  g_assert_nonnull(report);
  g_assert_cmpuint(ms_report_count(report, MS_OUTCOME_OK), ==, 2);

  g_assert_true(g_file_set_contents(path, "[Experiment]\nKind=mean-shift\n[Axes", -1, NULL));
  g_assert_false(ms_experiment_panel_add_file(panel, path, &error));
  g_assert_nonnull(error);
  g_assert_cmpint(g_remove(path), ==, 0);
  g_assert_cmpint(g_rmdir(folder), ==, 0);
}

/* Replaces @from by @to in a file, as a person does in an editor. */
static void
edit_file(const char *path, const char *from, const char *to)
{
  g_autofree char *text = NULL;

  g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
  g_auto(GStrv) parts = g_strsplit(text, from, 2);
  g_assert_cmpuint(g_strv_length(parts), ==, 2);
  g_autofree char *edited = g_strjoinv(to, parts);
  g_assert_true(g_file_set_contents(path, edited, -1, NULL));
}

static const MsReportRow *
run_mine(PanelFixture *f)
{
  ms_job_panel_run(MS_JOB_PANEL(f->panel));
  wait_for(120, !ms_job_panel_is_running(MS_JOB_PANEL(f->panel)));
  const MsReport *report = ms_report_view_get_report(view_of(f));
  g_assert_nonnull(report);
  g_assert_cmpuint(report->rows->len, ==, 2);
  return report->rows->pdata[1];
}

/* A file from the template is listed and run with the part beside it; what does not compile shows the whole log. */
static void
test_new_experiment(void)
{
  g_autofree char *folder = g_dir_make_tmp("ms-new-XXXXXX", NULL);
  g_autofree char *chosen = g_build_filename(folder, "my step", NULL), *file = NULL;
  g_autofree char *kernel = g_build_filename(folder, "my-step.cl", NULL);
  g_autoptr(GError) error = NULL;

  SET_UP_PANEL(f, MS_TYPE_EXPERIMENT_PANEL);
  MsExperimentPanel *panel = MS_EXPERIMENT_PANEL(f.panel);
  GtkWidget *edit = find_button(f.panel, "Edit _Kernel");
  GtkWidget *log = find_named(f.panel, "Log of the compiler");
  g_assert_true(ms_experiment_panel_select(panel, "ms-unroll"));
  g_assert_false(gtk_widget_is_visible(edit));
  file = ms_own_experiment_write(chosen, &error);
  g_assert_no_error(error);
  g_assert_true(g_str_has_suffix(file, "/my step.experiment"));
  const guint before = count_experiments(&f);
  g_assert_true(ms_experiment_panel_add_file(panel, file, &error));
  g_assert_cmpuint(count_experiments(&f), ==, before + 1);
  g_assert_true(gtk_widget_is_visible(edit));
  gtk_button_clicked(GTK_BUTTON(find_button(f.panel, "_Quick")));
  g_assert_cmpint(run_mine(&f)->measurement->outcome, ==, MS_OUTCOME_OK);
  g_assert_false(gtk_widget_is_visible(log));

  /* The files are read again at each run. */
  edit_file(kernel, "#pragma unroll", "nonsense");
  edit_file(file, "Title=my step", "Title=Mine");
  g_assert_cmpint(run_mine(&f)->measurement->outcome, ==, MS_OUTCOME_BUILD);
  g_assert_cmpuint(count_experiments(&f), ==, before + 1);
  g_assert_nonnull(find_label_with(f.panel, "Mine"));
  g_assert_true(gtk_widget_is_visible(log));
  GtkTextIter start, end;
  GtkTextBuffer *buffer = gtk_text_view_get_buffer(GTK_TEXT_VIEW(log));
  gtk_text_buffer_get_bounds(buffer, &start, &end);
  g_autofree char *text = gtk_text_buffer_get_text(buffer, &start, &end, FALSE);
  g_assert_nonnull(strstr(text, "nonsense"));
  g_assert_nonnull(strchr(text, '\n'));
  panel_fixture_screenshot(&f, "new-experiment");
  assert_accessible_names(f.panel);

  /* A file that a person has written is never replaced. */
  g_assert_null(ms_own_experiment_write(chosen, &error));
  g_assert_error(error, MS_ERROR, MS_ERROR_EXISTS);
  panel_fixture_remove_folder(folder);
}

/* An experiment that filters no picture runs on the window's device while no picture is open. */
static void
test_experiment_without_picture(void)
{
  g_autoptr(MsContext) context = ms_fixture_context();

  if (!context)
    return;
  g_autoptr(MsWindowEngine) engine = ms_window_engine_new();
  ms_window_engine_set_watchdog(engine, 0);
  ms_window_engine_choose(engine, context->device->address);
  PanelFixture f = {.window = gtk_window_new(GTK_WINDOW_TOPLEVEL),
                    .panel = g_object_new(MS_TYPE_EXPERIMENT_PANEL, "visible", TRUE, "engine", engine, NULL)};
  gtk_container_add(GTK_CONTAINER(f.window), f.panel);
  gtk_widget_show(f.window);
  g_assert_true(ms_experiment_panel_select(MS_EXPERIMENT_PANEL(f.panel), "sum-sizes"));
  wait_for(60, gtk_widget_get_sensitive(find_button(f.panel, "_Run")));
  g_assert_false(gtk_widget_get_sensitive(find_button(f.panel, "On the open _picture")));
  gtk_button_clicked(GTK_BUTTON(find_button(f.panel, "_Quick")));
  gtk_button_clicked(GTK_BUTTON(find_button(f.panel, "_Run")));
  wait_for(240, ms_report_view_get_report(view_of(&f)) &&
                  ms_report_count(ms_report_view_get_report(view_of(&f)), MS_OUTCOME_OK) > 0);
  ms_window_engine_cancel_holders(engine);
  wait_for(60, !ms_job_panel_is_running(MS_JOB_PANEL(f.panel)));
  gtk_widget_destroy(f.window);
  panel_fixture_settle();
  ms_window_engine_shut_down(engine);
}

static void
test_without_document(void)
{
  panel_fixture_show_empty(MS_TYPE_COMPARE_PANEL);
  panel_fixture_show_empty(MS_TYPE_EXPERIMENT_PANEL);
}

int
main(int argc, char **argv)
{
  gtk_test_init(&argc, &argv, NULL);
  g_test_add_func("/panels/compare", test_compare);
  g_test_add_func("/panels/compare-kernel", test_compare_kernel);
  g_test_add_func("/panels/compare-cancel", test_compare_cancel);
  g_test_add_func("/panels/compare-order", test_compare_order);
  g_test_add_func("/panels/compare-result", test_compare_result);
  g_test_add_func("/panels/unfinished-chart", test_unfinished_chart);
  g_test_add_func("/panels/compare-plan", test_compare_plan);
  g_test_add_func("/panels/experiments", test_experiments);
  g_test_add_func("/panels/own-experiment", test_own_experiment);
  g_test_add_func("/panels/new-experiment", test_new_experiment);
  g_test_add_func("/panels/experiment-without-picture", test_experiment_without_picture);
  g_test_add_func("/panels/lab-without-document", test_without_document);
  return g_test_run();
}
