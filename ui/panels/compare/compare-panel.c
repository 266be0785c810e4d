/* SPDX-License-Identifier: MIT */
#include "ui/panels/compare/compare-panel.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "ui/common/format.h"
#include "ui/document/document-settings.h"
#include "ui/panels/common/lab-program.h"

struct _MsComparePanel {
  MsJobPanel parent_instance;
  MsTogglePicker *picker;
  GtkComboBox *mode;
  GtkSpinButton *repeats;
  MsReportView *view;
  GtkWidget *apply;
  char *input; /* (nullable): the name of the picture that is measured */
};

G_DEFINE_FINAL_TYPE(MsComparePanel, ms_compare_panel, MS_TYPE_JOB_PANEL)

/* As in compare-panel.ui. */
#define MODE_ALL "all"
#define MODE_ONE "one"

static MsCompareMode
get_mode(MsComparePanel *self)
{
  return g_strcmp0(gtk_combo_box_get_active_id(self->mode), MODE_ALL) == 0 ? MS_COMPARE_ALL_COMBINATIONS
                                                                           : MS_COMPARE_ONE_AT_A_TIME;
}

static guint
count(MsComparePanel *self, MsDocument *document)
{
  g_autoptr(GArray) choices = ms_toggle_picker_get_choices(self->picker);

  return ms_compare_count(ms_document_get_settings(document), choices, get_mode(self));
}

static char *
ms_compare_panel_ready_text(MsJobPanel *panel, MsDevice *device, gboolean *ready)
{
  MsDocument *document = ms_panel_get_document(MS_PANEL(panel));
  guint n = document ? count(MS_COMPARE_PANEL(panel), document) : 0;

  *ready = device && n > 1;
  if (!document)
    return g_strdup(_("Open a picture to compare ways to filter it."));
  if (!device)
    return g_strdup(_("Choose an OpenCL device; the serial reference has no toggles."));
  if (n < 2)
    return g_strdup(_("Choose the values to compare."));
  return g_strdup_printf(_("%u configurations on %s"), n, ms_device_get_name(device));
}

static gboolean
is_ranked(const MsReportRow *row)
{
  return row->measurement->outcome == MS_OUTCOME_OK && row->summary.n > 0;
}

static int
compare_rows(gconstpointer a, gconstpointer b)
{
  const MsReportRow *x = *(MsReportRow *const *)a, *y = *(MsReportRow *const *)b;

  if (is_ranked(x) != is_ranked(y))
    return is_ranked(x) ? -1 : 1;
  if (!is_ranked(x) || x->summary.median == y->summary.median)
    return 0;
  return x->summary.median < y->summary.median ? -1 : 1;
}

/** ms_compare_sort: sorts the fastest first; unverified rows come last. */
void
ms_compare_sort(MsReport *report)
{
  g_ptr_array_sort(report->rows, compare_rows);
}

static void
ms_compare_panel_take(MsJobPanel *panel, const char *name, JsonObject *event)
{
  MsComparePanel *self = MS_COMPARE_PANEL(panel);
  g_autoptr(MsReport) report = strcmp(name, "report") == 0 ? ms_lab_program_read_report(event, self->input) : NULL;

  if (!report || report->rows->len == 0)
    return;
  ms_compare_sort(report);
  ms_report_view_set_report(self->view, report);
  gtk_widget_set_sensitive(self->apply, is_ranked(report->rows->pdata[0]));
}

static char *
ms_compare_panel_progress_text(MsJobPanel *panel, const char *message)
{
  return g_strdup(message);
}

static char *
result_note(const MsReport *report)
{
  const MsReportRow *best = report->rows->len > 0 ? report->rows->pdata[0] : NULL;
  guint wrong = ms_report_count(report, MS_OUTCOME_WRONG);

  if (wrong > 0)
    return g_strdup_printf(_("%u configurations give a wrong picture; they are marked and not ranked."), wrong);
  if (!best || !is_ranked(best))
    return g_strdup(_("Nothing could be measured; the last column says why."));
  g_autofree char *time = ms_format_ns(best->summary.median);
  return g_strdup_printf(_("Fastest: %s, %s"), best->label, time);
}

static char *
ms_compare_panel_ended_text(MsJobPanel *panel, gboolean cancelled)
{
  const MsReport *report = ms_report_view_get_report(MS_COMPARE_PANEL(panel)->view);

  if (cancelled)
    return g_strdup(_("Cancelled; the results so far are shown."));
  return report ? result_note(report) : g_strdup("");
}

static MsProgramJob *
ms_compare_panel_start(MsJobPanel *panel, MsDevice *device)
{
  MsComparePanel *self = MS_COMPARE_PANEL(panel);
  MsDocument *document = ms_panel_get_document(MS_PANEL(panel));
  g_autoptr(GArray) choices = ms_toggle_picker_get_choices(self->picker);
  g_autoptr(MsExperiment) experiment =
    ms_compare_experiment(ms_document_get_settings(document), choices, get_mode(self));
  MsProgramJob *job = ms_program_job_new();

  ms_lab_program_add_experiment(job, experiment);
  ms_program_job_add(job, "--repeat=%d", gtk_spin_button_get_value_as_int(self->repeats));
  ms_lab_program_add_picture(job, document);
  g_free(self->input);
  self->input = g_strdup(ms_document_get_title(document));
  ms_report_view_set_report(self->view, NULL);
  gtk_widget_set_sensitive(self->apply, FALSE);
  return job;
}

static void
apply_row(MsComparePanel *self, guint index)
{
  MsReport *report = ms_report_view_get_report(self->view);

  if (!report || index >= report->rows->len)
    return;
  const MsReportRow *row = report->rows->pdata[index];
  ms_panel_apply_toggles(MS_PANEL(self), row->factors);
}

static void
on_row_chosen(MsComparePanel *self, guint row)
{
  apply_row(self, row);
}

static void
on_apply_clicked(MsComparePanel *self)
{
  int row = ms_report_view_get_selected(self->view);

  apply_row(self, row >= 0 ? (guint)row : 0);
}

static void
on_problem(MsComparePanel *self, GError *error)
{
  ms_panel_report_problem(MS_PANEL(self), error);
}

static void
ms_compare_panel_finalize(GObject *object)
{
  g_free(MS_COMPARE_PANEL(object)->input);
  G_OBJECT_CLASS(ms_compare_panel_parent_class)->finalize(object);
}

static void
ms_compare_panel_refresh(MsPanel *panel)
{
  MsComparePanel *self = MS_COMPARE_PANEL(panel);

  ms_toggle_picker_update(self->picker, ms_panel_get_document(panel));
  ms_job_panel_update_ready(MS_JOB_PANEL(panel));
}

static void
ms_compare_panel_attach(MsPanel *panel, MsDocument *document)
{
  ms_panel_follow(panel, document, "settings-changed");
  ms_panel_follow(panel, ms_document_get_engine(document), "changed");
}

static void
ms_compare_panel_class_init(MsComparePanelClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);

  G_OBJECT_CLASS(klass)->finalize = ms_compare_panel_finalize;
  MS_JOB_PANEL_CLASS(klass)->start = ms_compare_panel_start;
  MS_JOB_PANEL_CLASS(klass)->take = ms_compare_panel_take;
  MS_JOB_PANEL_CLASS(klass)->progress_text = ms_compare_panel_progress_text;
  MS_JOB_PANEL_CLASS(klass)->ended_text = ms_compare_panel_ended_text;
  MS_JOB_PANEL_CLASS(klass)->ready_text = ms_compare_panel_ready_text;
  MS_PANEL_CLASS(klass)->attach = ms_compare_panel_attach;
  MS_PANEL_CLASS(klass)->refresh = ms_compare_panel_refresh;
  g_type_ensure(MS_TYPE_TOGGLE_PICKER);
  g_type_ensure(MS_TYPE_REPORT_VIEW);
  gtk_widget_class_set_template_from_resource(
    widget_class, "/io/github/meanshift_lab/MeanshiftLab/ui/panels/compare/compare-panel.ui");
  gtk_widget_class_bind_template_child(widget_class, MsComparePanel, picker);
  gtk_widget_class_bind_template_child(widget_class, MsComparePanel, mode);
  gtk_widget_class_bind_template_child(widget_class, MsComparePanel, repeats);
  gtk_widget_class_bind_template_child_full(widget_class, "bar", TRUE, 0);
  gtk_widget_class_bind_template_child(widget_class, MsComparePanel, view);
  gtk_widget_class_bind_template_child(widget_class, MsComparePanel, apply);
  gtk_widget_class_bind_template_callback(widget_class, ms_job_panel_update_ready);
  gtk_widget_class_bind_template_callback(widget_class, on_apply_clicked);
  gtk_widget_class_bind_template_callback(widget_class, on_row_chosen);
  gtk_widget_class_bind_template_callback(widget_class, on_problem);
}

static void
ms_compare_panel_init(MsComparePanel *self)
{
  gtk_widget_init_template(GTK_WIDGET(self));
  gtk_widget_set_sensitive(self->apply, FALSE);
  ms_report_view_set_single_click(self->view, TRUE);
  ms_job_panel_set_bar(MS_JOB_PANEL(self),
                       MS_LAB_BAR(gtk_widget_get_template_child(GTK_WIDGET(self), MS_TYPE_COMPARE_PANEL, "bar")));
}
