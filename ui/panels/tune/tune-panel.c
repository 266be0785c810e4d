/* SPDX-License-Identifier: MIT */
#include "ui/panels/tune/tune-panel.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "core/engine/tuned.h"
#include "core/filter/plan/plan.h"
#include "core/json.h"
#include "core/lab/lab-tune.h"
#include "core/lab/measure/statistics.h"
#include "ui/document/document.h"
#include "ui/common/format.h"
#include "ui/panels/common/report-view.h"

struct _MsTunePanel {
  MsJobPanel parent_instance;
  GtkSpinButton *budget;
  GtkToggleButton *fresh;
  MsReportView *view;
  GtkLabel *winner;
  GtkWidget *apply;
  GtkWidget *forget;
  MsReport *report; /* (nullable): of the newest search */
};

G_DEFINE_FINAL_TYPE(MsTunePanel, ms_tune_panel, MS_TYPE_JOB_PANEL)

static void
ms_tune_panel_finalize(GObject *object)
{
  ms_report_unref(MS_TUNE_PANEL(object)->report);
  G_OBJECT_CLASS(ms_tune_panel_parent_class)->finalize(object);
}

static char *
ms_tune_panel_ready_text(MsJobPanel *panel, MsDevice *device, gboolean *ready)
{
  MsTunePanel *self = MS_TUNE_PANEL(panel);

  gtk_widget_set_sensitive(self->apply, ms_tune_panel_get_best(self) != NULL);
  gtk_widget_set_sensitive(self->forget, ms_tune_panel_get_best(self) != NULL);
  *ready = device && ms_panel_get_document(MS_PANEL(panel));
  if (!*ready)
    return g_strdup(_("Open a picture and choose an OpenCL device to tune for."));
  return g_strdup_printf(_("Searches for up to %d s on %s with the current filter settings."),
                         gtk_spin_button_get_value_as_int(self->budget), device->title);
}

static void
show_winner(MsTunePanel *self)
{
  const MsReportRow *best = ms_tune_panel_get_best(self);

  if (!best) {
    gtk_label_set_text(self->winner, _("No configuration has been measured yet."));
    return;
  }
  g_autofree char *time = ms_format_ns(best->summary.median);
  g_autofree char *text = g_strdup_printf(_("★ Fastest so far: %s (%s)"), time, best->label);
  gtk_label_set_text(self->winner, text);
  gtk_widget_set_tooltip_text(GTK_WIDGET(self->winner), best->label);
}

/* The median of the measured times with @key at @value; NAN if there is none. */
static double
median_with(const MsReport *report, const char *key, const char *value)
{
  g_autoptr(GArray) times = g_array_new(FALSE, FALSE, sizeof(double));

  for (guint i = 0; i < report->rows->len; i++) {
    const MsReportRow *row = report->rows->pdata[i];
    if (row->measurement->outcome == MS_OUTCOME_OK && g_strcmp0(ms_factors_get(row->factors, key), value) == 0)
      g_array_append_val(times, row->summary.median);
  }
  return times->len ? ms_statistics_summarise_array(times).median : NAN;
}

/* A bar for each value of @option, unless only one of them was measured. */
static void
add_effects(MsChart *chart, guint series, const MsReport *report, const MsOptionInfo *option)
{
  guint n = 0;

  for (guint k = 0; option->values && option->values[k]; k++)
    n += isfinite(median_with(report, option->name, option->values[k]));
  for (guint k = 0; n > 1 && option->values[k]; k++) {
    const double ns = median_with(report, option->name, option->values[k]);
    g_autofree char *label = g_strdup_printf("%s %s", option->name, option->values[k]);
    if (isfinite(ns))
      ms_chart_add_point(chart, series, (MsChartPoint){ms_chart_add_category(chart, label), ns * 1e-6, NAN, NAN});
  }
}

/* (transfer full): what each value of each toggle does: the median time of the configurations that have it */
static MsChart *
new_effects(const MsReport *report)
{
  MsChart *chart = ms_chart_new(MS_CHART_BARS, _("What each value does"));
  const MsOptionInfo *table = ms_options.rows;
  const guint series = ms_chart_add_series(chart, _("median of the configurations with it"), FALSE);

  ms_chart_set_y_axis(chart, _("median time, ms"), FALSE);
  ms_chart_set_empty_text(chart, _("No toggle has been measured with two values yet."));
  for (guint i = 0; i < ms_options.n_rows; i++)
    if (table[i].group == MS_OPTION_GROUP_TOGGLE)
      add_effects(chart, series, report, &table[i]);
  return chart;
}

static int
compare_moments(gconstpointer a, gconstpointer b)
{
  const MsReportRow *x = *(const MsReportRow *const *)a, *y = *(const MsReportRow *const *)b;

  return (x->measurement->at_s > y->measurement->at_s) - (x->measurement->at_s < y->measurement->at_s);
}

/* (transfer container) (element-type MsReportRow): those with a time, in the order in which they were tried */
static GPtrArray *
list_timed(const MsReport *report)
{
  GPtrArray *timed = g_ptr_array_new();

  for (guint i = 0; i < report->rows->len; i++)
    if (((const MsReportRow *)report->rows->pdata[i])->measurement->outcome == MS_OUTCOME_OK)
      g_ptr_array_add(timed, report->rows->pdata[i]);
  g_ptr_array_sort(timed, compare_moments);
  return timed;
}

/*
 * (transfer full): the best time over the seconds of the search, as a line through the trials that were faster than all
 * before and to the last one; a single one makes no line.
 */
static MsChart *
new_chart(const MsReport *report)
{
  MsChart *chart = ms_chart_new(MS_CHART_LINES, _("Search for the fastest configuration"));
  const guint fastest = ms_chart_add_series(chart, _("fastest so far"), FALSE);
  g_autoptr(GPtrArray) timed = list_timed(report);
  double best = INFINITY, drawn = 0, last = 0;
  guint row = 0;

  ms_chart_set_x_axis(chart, _("time of the search, s"), FALSE);
  ms_chart_set_y_axis(chart, _("median time, ms"), FALSE);
  ms_chart_set_empty_text(chart, _("The line begins when two configurations have been measured."));
  if (timed->len < 2)
    return chart;
  for (guint i = 0; i < timed->len; i++) {
    const MsReportRow *trial = timed->pdata[i];
    last = trial->measurement->at_s;
    if (trial->summary.median >= best)
      continue;
    best = trial->summary.median;
    drawn = last;
    g_ptr_array_find(report->rows, trial, &row);
    ms_chart_add_point(chart, fastest, (MsChartPoint){drawn, best * 1e-6, NAN, NAN, row + 1});
  }
  if (drawn < last)
    ms_chart_add_point(chart, fastest, (MsChartPoint){last, best * 1e-6, NAN, NAN, row + 1});
  ms_chart_set_panel(chart, new_effects(report));
  return chart;
}

/* (transfer none) (nullable): the trial of the toggles that a run takes on a device without a search */
static const MsReportRow *
find_defaults(MsTunePanel *self)
{
  MsDocument *document = ms_panel_get_document(MS_PANEL(self));
  const MsOptionInfo *table = ms_options.rows;
  g_autoptr(MsFactors) factors = ms_factors_new();
  MsSettings settings = ms_settings_default();

  if (!self->report || !document)
    return NULL;
  settings.params = ms_document_get_settings(document)->params;
  g_autoptr(MsPlan) plan = ms_document_plan(document, &settings, NULL);
  for (guint i = 0; plan && i < ms_options.n_rows; i++) {
    if (table[i].group != MS_OPTION_GROUP_TOGGLE)
      continue;
    g_autofree char *value =
      table[i].kind == MS_OPTION_SHAPE ? g_strdup("auto") : ms_option_get_text(&table[i], &plan->settings);
    ms_factors_set(factors, table[i].name, value);
  }
  return plan ? ms_tune_find(self->report, factors) : NULL;
}

/* The trials as a table, compared with the defaults where these were tried. */
static void
show_report(MsTunePanel *self)
{
  g_autoptr(MsChart) chart = new_chart(self->report);
  const MsReportRow *usual = find_defaults(self);

  if (usual) {
    g_autoptr(MsFactors) settings = ms_tune_settings(usual);
    ms_experiment_set_baseline(self->report->experiment, settings);
    ms_report_rank(self->report);
  }
  ms_report_view_set_report(self->view, self->report);
  ms_report_view_set_chart(self->view, chart, _("Search for the fastest configuration"));
  show_winner(self);
}

static void
ms_tune_panel_take(MsJobPanel *panel, const char *name, JsonObject *event)
{
  MsTunePanel *self = MS_TUNE_PANEL(panel);
  MsReport *report = strcmp(name, "report") == 0 ? ms_job_panel_read_report(panel, event) : NULL;

  if (!report)
    return;
  ms_report_unref(self->report);
  self->report = report;
  show_report(self);
  gtk_widget_set_sensitive(self->apply, ms_tune_panel_get_best(self) != NULL);
  gtk_widget_set_sensitive(self->forget, ms_tune_panel_get_best(self) != NULL);
}

static char *
ms_tune_panel_progress_text(MsJobPanel *panel, const char *message)
{
  const MsReport *report = MS_TUNE_PANEL(panel)->report;

  return g_strdup_printf(_("%u of %.0f configurations tried"), report ? report->rows->len : 0,
                         report ? (double)report->space_size : 0.0);
}

static char *
ms_tune_panel_ended_text(MsJobPanel *panel, gboolean cancelled)
{
  const MsReport *report = MS_TUNE_PANEL(panel)->report;
  guint n = report ? report->rows->len : 0;

  if (cancelled)
    return g_strdup_printf(_("Cancelled after %u configurations; the next search continues from here."), n);
  const MsReportRow *best = report ? ms_tune_best(report) : NULL, *usual = find_defaults(MS_TUNE_PANEL(panel));
  if (!best || !usual || usual->measurement->outcome != MS_OUTCOME_OK)
    return g_strdup_printf(_("Done: %u configurations tried. The fastest is kept for this device and driver."), n);
  g_autofree char *ratio = ms_format_ratio(usual->summary.median / best->summary.median);
  return g_strdup_printf(_("Done: %u configurations tried; %s over the defaults, kept for this device and driver."), n,
                         ratio);
}

static gboolean
ms_tune_panel_start(MsJobPanel *panel, MsProgramJob *job)
{
  MsTunePanel *self = MS_TUNE_PANEL(panel);
  MsSettings problem = ms_settings_default();

  /* The parameters are fixed, and the search is over the toggles. */
  problem.params = ms_document_get_settings(ms_panel_get_document(MS_PANEL(panel)))->params;
  g_autofree char *arguments = ms_settings_to_arguments(&problem);
  g_auto(GStrv) words = g_strsplit(arguments, " ", -1);
  ms_program_job_add_words(job, (const char *const *)words);
  ms_program_job_add(job, "--tune");
  ms_program_job_add(job, "--budget=%ds", gtk_spin_button_get_value_as_int(self->budget));
  if (gtk_toggle_button_get_active(self->fresh))
    ms_program_job_add(job, "--fresh");
  ms_job_panel_add_picture(panel, job);
  g_clear_pointer(&self->report, ms_report_unref);
  ms_report_view_set_report(self->view, NULL);
  show_winner(self);
  return TRUE;
}

/** ms_tune_panel_get_best: (transfer none) (nullable): the fastest of the search */
const MsReportRow *
ms_tune_panel_get_best(MsTunePanel *self)
{
  return self->report ? ms_tune_best(self->report) : NULL;
}

/** ms_tune_panel_get_report: (transfer none) (nullable): the search so far */
const MsReport *
ms_tune_panel_get_report(MsTunePanel *self)
{
  return self->report;
}

/** ms_tune_panel_apply: applies the toggles of the fastest configuration. */
void
ms_tune_panel_apply(MsTunePanel *self)
{
  const MsReportRow *best = ms_tune_panel_get_best(self);

  if (best)
    ms_panel_apply_toggles(MS_PANEL(self), best->factors);
}

/* Applies the toggles of the row of the table that was clicked. */
static void
on_row_chosen(MsTunePanel *self, guint index)
{
  const MsReport *report = ms_report_view_get_report(self->view);

  if (report && index < report->rows->len)
    ms_panel_apply_toggles(MS_PANEL(self), ((const MsReportRow *)report->rows->pdata[index])->factors);
}

/* The way back: runs use the defaults again; the trials stay for a search that goes on. */
static void
on_forget_clicked(MsTunePanel *self)
{
  g_autoptr(GError) error = NULL;

  if (!self->report)
    return;
  g_autofree char *problem = ms_lab_tune_problem(self->report->experiment->fixed);
  const MsWinnerKey key = {self->report->device.name, self->report->device.driver, problem};
  if (ms_winner_store_remove(NULL, &key, &error))
    ms_job_panel_set_outcome(MS_JOB_PANEL(self), _("Forgotten: the defaults are used again on this device."));
  else
    ms_panel_report_problem(MS_PANEL(self), error);
}

#define CHILD(name) MS_TEMPLATE_CHILD(MsTunePanel, name)

static void
ms_tune_panel_class_init(MsTunePanelClass *klass)
{
  static const MsTemplatePart parts[] = {CHILD(budget),
                                         CHILD(fresh),
                                         CHILD(view),
                                         CHILD(winner),
                                         CHILD(apply),
                                         CHILD(forget),
                                         MS_TEMPLATE_CALLBACK(ms_tune_panel_apply),
                                         MS_TEMPLATE_CALLBACK(on_row_chosen),
                                         MS_TEMPLATE_CALLBACK(on_forget_clicked),
                                         MS_TEMPLATE_CALLBACK(ms_panel_report_problem)};

  G_OBJECT_CLASS(klass)->finalize = ms_tune_panel_finalize;
  MS_JOB_PANEL_CLASS(klass)->start = ms_tune_panel_start;
  MS_JOB_PANEL_CLASS(klass)->take = ms_tune_panel_take;
  MS_JOB_PANEL_CLASS(klass)->progress_text = ms_tune_panel_progress_text;
  MS_JOB_PANEL_CLASS(klass)->ended_text = ms_tune_panel_ended_text;
  MS_JOB_PANEL_CLASS(klass)->ready_text = ms_tune_panel_ready_text;
  g_type_ensure(MS_TYPE_REPORT_VIEW);
  ms_job_panel_bind(MS_JOB_PANEL_CLASS(klass), "panels/tune/tune-panel.ui", parts, G_N_ELEMENTS(parts));
}

static void
ms_tune_panel_init(MsTunePanel *self)
{
  gtk_widget_init_template(GTK_WIDGET(self));
  ms_report_view_put_beside(self->view);
  show_winner(self);
}
