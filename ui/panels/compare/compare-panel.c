/* SPDX-License-Identifier: MIT */
#include "ui/panels/compare/compare-panel.h"

#include "ui/common/format.h"
#include "ui/panels/common/lab-bar.h"

struct _MsComparePanel {
  MsPanel parent_instance;
  MsTogglePicker *picker;
  GtkComboBox *mode;
  GtkSpinButton *repeats;
  MsLabBar *bar;
  MsReportView *view;
  GtkWidget *apply;
  MsLabJob *job; /* (nullable): the newest */
};

G_DEFINE_FINAL_TYPE(MsComparePanel, ms_compare_panel, MS_TYPE_PANEL)

/* As in compare-panel.ui. */
#define MODE_ALL "all"
#define MODE_ONE "one"

static void
ms_compare_panel_dispose(GObject *object)
{
  MsComparePanel *self = MS_COMPARE_PANEL(object);

  ms_panel_job_drop(MS_PANEL_JOB(g_steal_pointer(&self->job)), self);
  G_OBJECT_CLASS(ms_compare_panel_parent_class)->dispose(object);
}

static MsCompareMode
get_mode(MsComparePanel *self)
{
  return g_strcmp0(gtk_combo_box_get_active_id(self->mode), MODE_ALL) == 0 ? MS_COMPARE_ALL_COMBINATIONS
                                                                           : MS_COMPARE_ONE_AT_A_TIME;
}

gboolean
ms_compare_panel_is_running(MsComparePanel *self)
{
  return self->job && ms_panel_job_is_running(MS_PANEL_JOB(self->job));
}

static guint
count(MsComparePanel *self, MsDocument *document)
{
  g_autoptr(GArray) choices = ms_toggle_picker_get_choices(self->picker);

  return ms_compare_count(ms_document_get_settings(document), choices, get_mode(self));
}

static void
update_ready(MsComparePanel *self)
{
  MsDocument *document = ms_panel_get_document(MS_PANEL(self));
  MsDevice *device = ms_panel_get_device(MS_PANEL(self));
  guint n = document ? count(self, document) : 0;

  if (ms_compare_panel_is_running(self))
    return;
  ms_lab_bar_set_ready(self->bar, device && n > 1);
  g_autofree char *ready = g_strdup_printf("%u configurations on %s", n, device ? ms_device_get_name(device) : "");
  ms_lab_bar_set_note(self->bar, !document ? "Open a picture to compare ways to filter it."
                                 : !device ? "Choose an OpenCL device; the serial reference has no toggles."
                                 : n < 2   ? "Choose the values to compare."
                                           : ready);
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

/** ms_compare_sort: the fastest first; what was not verified has no rank and comes last. */
void
ms_compare_sort(MsReport *report)
{
  g_ptr_array_sort(report->rows, compare_rows);
}

static void
show_report(MsComparePanel *self, MsLabJob *job)
{
  MsReport *report = ms_lab_job_get_report(job);

  if (!report || report->rows->len == 0)
    return;
  ms_compare_sort(report);
  ms_report_view_set_report(self->view, report);
  gtk_widget_set_sensitive(self->apply, is_ranked(report->rows->pdata[0]));
}

static void
on_progressed(MsLabJob *job, MsComparePanel *self)
{
  show_report(self, job);
  ms_lab_bar_set_progress(self->bar, ms_panel_job_get_fraction(MS_PANEL_JOB(job)), ms_lab_job_get_message(job));
}

static char *
result_note(const MsReport *report)
{
  const MsReportRow *best = report->rows->len > 0 ? report->rows->pdata[0] : NULL;
  guint wrong = ms_report_count(report, MS_OUTCOME_WRONG);

  if (wrong > 0)
    return g_strdup_printf("%u configurations give a wrong picture; they are marked and not ranked.", wrong);
  if (!best || !is_ranked(best))
    return g_strdup("Nothing could be measured; the last column says why.");
  g_autofree char *time = ms_format_ns(best->summary.median);
  return g_strdup_printf("Fastest: %s, %s", best->label, time);
}

static void
on_ended(MsLabJob *job, GError *error, MsComparePanel *self)
{
  gboolean cancelled = g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  MsReport *report = ms_lab_job_get_report(job);

  ms_lab_bar_set_running(self->bar, FALSE);
  show_report(self, job);
  update_ready(self);
  g_autofree char *note = error    ? g_strdup(cancelled ? "Cancelled; what was measured is shown." : error->message)
                          : report ? result_note(report)
                                   : g_strdup("");
  ms_lab_bar_set_note(self->bar, note);
}

/** ms_compare_panel_run: as if Compare had been clicked; a comparison under way is cancelled. */
void
ms_compare_panel_run(MsComparePanel *self)
{
  MsDocument *document = ms_panel_get_document(MS_PANEL(self));
  MsDevice *device = ms_panel_get_device(MS_PANEL(self));

  if (!document || !device)
    return;
  ms_panel_job_drop(MS_PANEL_JOB(g_steal_pointer(&self->job)), self);
  g_autoptr(GArray) choices = ms_toggle_picker_get_choices(self->picker);
  g_autoptr(MsExperiment) experiment =
    ms_compare_experiment(ms_document_get_settings(document), choices, get_mode(self));
  MsLabJobSpec spec = {.experiment = experiment,
                       .device = device,
                       .image = ms_document_get_source(document),
                       .input = ms_document_get_title(document),
                       .quick = TRUE,
                       .repeats = (guint)gtk_spin_button_get_value_as_int(self->repeats)};
  self->job = ms_lab_job_start(&spec);
  g_signal_connect_object(self->job, "progressed", G_CALLBACK(on_progressed), self, 0);
  g_signal_connect_object(self->job, "ended", G_CALLBACK(on_ended), self, 0);
  ms_report_view_set_report(self->view, NULL);
  gtk_widget_set_sensitive(self->apply, FALSE);
  ms_lab_bar_set_running(self->bar, TRUE);
}

void
ms_compare_panel_cancel(MsComparePanel *self)
{
  if (self->job)
    ms_panel_job_cancel(MS_PANEL_JOB(self->job));
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
ms_compare_panel_refresh(MsPanel *panel)
{
  MsComparePanel *self = MS_COMPARE_PANEL(panel);

  ms_toggle_picker_update(self->picker, ms_panel_get_document(panel));
  update_ready(self);
}

static void
ms_compare_panel_attach(MsPanel *panel, MsDocument *document)
{
  ms_panel_follow(panel, document, "settings-changed");
  ms_panel_follow(panel, ms_document_get_engine(document), "changed");
}

void
ms_compare_panel_set_mode(MsComparePanel *self, MsCompareMode mode)
{
  gtk_combo_box_set_active_id(self->mode, mode == MS_COMPARE_ALL_COMBINATIONS ? MODE_ALL : MODE_ONE);
}

void
ms_compare_panel_set_repeats(MsComparePanel *self, guint repeats)
{
  gtk_spin_button_set_value(self->repeats, repeats);
}

MsTogglePicker *
ms_compare_panel_get_picker(MsComparePanel *self)
{
  return self->picker;
}

MsReportView *
ms_compare_panel_get_view(MsComparePanel *self)
{
  return self->view;
}

const char *
ms_compare_panel_get_note(MsComparePanel *self)
{
  return ms_lab_bar_get_note(self->bar);
}

static void
ms_compare_panel_class_init(MsComparePanelClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);

  G_OBJECT_CLASS(klass)->dispose = ms_compare_panel_dispose;
  MS_PANEL_CLASS(klass)->attach = ms_compare_panel_attach;
  MS_PANEL_CLASS(klass)->refresh = ms_compare_panel_refresh;
  g_type_ensure(MS_TYPE_TOGGLE_PICKER);
  g_type_ensure(MS_TYPE_LAB_BAR);
  g_type_ensure(MS_TYPE_REPORT_VIEW);
  gtk_widget_class_set_template_from_resource(
    widget_class, "/io/github/meanshift_lab/MeanshiftLab/ui/panels/compare/compare-panel.ui");
  gtk_widget_class_bind_template_child(widget_class, MsComparePanel, picker);
  gtk_widget_class_bind_template_child(widget_class, MsComparePanel, mode);
  gtk_widget_class_bind_template_child(widget_class, MsComparePanel, repeats);
  gtk_widget_class_bind_template_child(widget_class, MsComparePanel, bar);
  gtk_widget_class_bind_template_child(widget_class, MsComparePanel, view);
  gtk_widget_class_bind_template_child(widget_class, MsComparePanel, apply);
  gtk_widget_class_bind_template_callback(widget_class, ms_compare_panel_run);
  gtk_widget_class_bind_template_callback(widget_class, ms_compare_panel_cancel);
  gtk_widget_class_bind_template_callback(widget_class, update_ready);
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
  update_ready(self);
}
