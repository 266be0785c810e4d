/* SPDX-License-Identifier: MIT */
#include "ui/panels/experiment/experiment-panel.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "core/lab/experiment/experiment-file.h"
#include "ui/panels/common/lab-program.h"
#include "ui/panels/experiment/experiment-details.h"
#include "ui/panels/experiment/experiment-picker.h"

struct _MsExperimentPanel {
  MsJobPanel parent_instance;
  MsExperimentPicker *picker;
  GtkWidget *open;
  GtkWidget *next;
  gboolean learns;
  GtkLabel *title;
  GtkLabel *details;
  GtkToggleButton *quick;
  GtkToggleButton *on_picture;
  MsReportView *view;
  GHashTable *reports;    /* name → MsReport: the latest report of each experiment */
  MsExperiment *selected; /* (nullable) */
  MsExperiment *running;  /* (nullable): the experiment of the running job */
  char *input;            /* (nullable): the name of its picture */
};

G_DEFINE_FINAL_TYPE(MsExperimentPanel, ms_experiment_panel, MS_TYPE_JOB_PANEL)

enum {
  PROP_0,
  PROP_LEARN,
};

static void
ms_experiment_panel_dispose(GObject *object)
{
  MsExperimentPanel *self = MS_EXPERIMENT_PANEL(object);

  if (self->picker)
    g_signal_handlers_disconnect_by_data(self->picker, self);
  g_clear_pointer(&self->selected, ms_experiment_unref);
  g_clear_pointer(&self->running, ms_experiment_unref);
  g_clear_pointer(&self->reports, g_hash_table_unref);
  g_clear_pointer(&self->input, g_free);
  G_OBJECT_CLASS(ms_experiment_panel_parent_class)->dispose(object);
}

static void
show_details(MsExperimentPanel *self)
{
  gboolean quick = gtk_toggle_button_get_active(self->quick);

  if (!self->selected) {
    gtk_label_set_text(self->title, "");
    gtk_label_set_text(self->details, self->learns
                                        ? _("Each step runs one experiment and states what a study found with it.")
                                        : _("Pick an experiment to see what it varies and what was published."));
    return;
  }
  g_autofree char *markup =
    self->learns ? ms_experiment_lesson(self->selected) : ms_experiment_details(self->selected, quick);
  const char *name = ms_experiment_text(self->selected->title, MS_LANGUAGE_USER);
  g_autofree char *title = self->selected->study && *self->selected->study
                             ? g_strdup_printf("%s [%s %s]", name, self->selected->study,
                                               self->selected->section ? self->selected->section : "")
                             : g_strdup(name);
  gtk_label_set_text(self->title, title);
  gtk_label_set_markup(self->details, markup);
  gtk_widget_set_sensitive(GTK_WIDGET(self->on_picture), strcmp(self->selected->kind, "mean-shift") == 0);
}

static void
on_selection_changed(MsExperimentPanel *self)
{
  MsExperiment *selected = ms_experiment_picker_get_selected(self->picker);

  g_clear_pointer(&self->selected, ms_experiment_unref);
  self->selected = selected ? ms_experiment_ref(selected) : NULL;
  show_details(self);
  ms_report_view_set_report(self->view,
                            self->selected ? g_hash_table_lookup(self->reports, self->selected->name) : NULL);
  ms_job_panel_update_ready(MS_JOB_PANEL(self));
}

/** ms_experiment_panel_select: selects an experiment; %FALSE if there is none of that name */
gboolean
ms_experiment_panel_select(MsExperimentPanel *self, const char *name)
{
  return ms_experiment_picker_select(self->picker, name);
}

/** ms_experiment_panel_add_file: adds the experiment of a file to the list and selects it. */
gboolean
ms_experiment_panel_add_file(MsExperimentPanel *self, const char *path, GError **error)
{
  g_autoptr(MsExperiment) experiment = ms_experiment_load(path, error);

  if (!experiment)
    return FALSE;
  ms_experiment_picker_add(self->picker, experiment);
  return ms_experiment_panel_select(self, experiment->name);
}

/* Running */

static char *
ms_experiment_panel_ready_text(MsJobPanel *panel, MsDevice *device, gboolean *ready)
{
  *ready = device && MS_EXPERIMENT_PANEL(panel)->selected;
  return device ? g_strdup_printf(_("Measures on %s."), ms_device_get_name(device))
                : g_strdup(_("Open a picture and choose an OpenCL device to measure on."));
}

/* Keeps the report of the running experiment, and shows it while that experiment is selected. */
static void
ms_experiment_panel_take(MsJobPanel *panel, const char *name, JsonObject *event)
{
  MsExperimentPanel *self = MS_EXPERIMENT_PANEL(panel);
  MsReport *report = strcmp(name, "report") == 0 ? ms_lab_program_read_report(event, self->input) : NULL;

  if (!report)
    return;
  g_hash_table_replace(self->reports, g_strdup(self->running->name), report);
  if (self->selected && strcmp(self->selected->name, self->running->name) == 0)
    ms_report_view_set_report(self->view, report);
}

static char *
ms_experiment_panel_progress_text(MsJobPanel *panel, const char *message)
{
  return g_strdup_printf("%s: %s", ms_experiment_text(MS_EXPERIMENT_PANEL(panel)->running->title, MS_LANGUAGE_USER),
                         message);
}

static char *
ms_experiment_panel_ended_text(MsJobPanel *panel, gboolean cancelled)
{
  MsExperimentPanel *self = MS_EXPERIMENT_PANEL(panel);
  const MsReport *report = g_hash_table_lookup(self->reports, self->running->name);

  if (cancelled)
    return g_strdup(_("Cancelled; the results so far are shown."));
  if (!report)
    return g_strdup("");
  guint ok = ms_report_count(report, MS_OUTCOME_OK), wrong = ms_report_count(report, MS_OUTCOME_WRONG);
  g_autofree char *bad = wrong ? g_strdup_printf(_(", %u WRONG"), wrong) : g_strdup("");
  return g_strdup_printf(_("Done: %u of %u configurations measured and verified%s."), ok, report->rows->len, bad);
}

static MsProgramJob *
ms_experiment_panel_start(MsJobPanel *panel, MsDevice *device)
{
  MsExperimentPanel *self = MS_EXPERIMENT_PANEL(panel);
  MsDocument *document = ms_panel_get_document(MS_PANEL(panel));
  gboolean picture =
    gtk_toggle_button_get_active(self->on_picture) && gtk_widget_get_sensitive(GTK_WIDGET(self->on_picture));

  if (!self->selected)
    return NULL;
  g_clear_pointer(&self->running, ms_experiment_unref);
  self->running = ms_experiment_ref(self->selected);
  g_free(self->input);
  self->input = g_strdup(picture ? ms_document_get_title(document) : NULL);
  MsProgramJob *job = ms_program_job_new();
  ms_lab_program_add_experiment(job, self->running);
  if (gtk_toggle_button_get_active(self->quick))
    ms_program_job_add(job, "--quick");
  if (picture)
    ms_lab_program_add_picture(job, document);
  return job;
}

static void
report_problem(MsExperimentPanel *self, const GError *error)
{
  ms_job_panel_set_note(MS_JOB_PANEL(self), error->message);
  ms_panel_report_problem(MS_PANEL(self), error);
}

static void
on_problem(MsExperimentPanel *self, GError *error)
{
  report_problem(self, error);
}

static void
on_file_chosen(GtkNativeDialog *dialog, int response, MsExperimentPanel *self)
{
  g_autofree char *path = gtk_file_chooser_get_filename(GTK_FILE_CHOOSER(dialog));
  g_autoptr(GError) error = NULL;

  if (response == GTK_RESPONSE_ACCEPT && path && !ms_experiment_panel_add_file(self, path, &error))
    report_problem(self, error);
  g_object_unref(dialog);
}

static void
on_open_clicked(MsExperimentPanel *self)
{
  GtkWidget *window = gtk_widget_get_toplevel(GTK_WIDGET(self));
  GtkFileChooserNative *dialog =
    gtk_file_chooser_native_new(_("Open an Experiment"), GTK_IS_WINDOW(window) ? GTK_WINDOW(window) : NULL,
                                GTK_FILE_CHOOSER_ACTION_OPEN, _("_Open"), _("_Cancel"));

  gtk_native_dialog_set_modal(GTK_NATIVE_DIALOG(dialog), TRUE);
  g_signal_connect_object(dialog, "response", G_CALLBACK(on_file_chosen), self, 0);
  gtk_native_dialog_show(GTK_NATIVE_DIALOG(dialog));
}

static void
on_next_clicked(MsExperimentPanel *self)
{
  gtk_widget_set_sensitive(self->next, ms_experiment_picker_select_next(self->picker));
}

static void
fill(MsExperimentPanel *self)
{
  g_autoptr(GError) error = NULL;

  gtk_widget_set_visible(self->open, !self->learns);
  gtk_widget_set_visible(self->next, self->learns);
  if (self->learns ? ms_experiment_picker_fill_steps(self->picker, &error)
                   : ms_experiment_picker_fill(self->picker, &error))
    show_details(self);
  else
    gtk_label_set_text(self->details, error->message);
  if (self->learns)
    ms_experiment_picker_select_next(self->picker);
}

static void
ms_experiment_panel_set_property(GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  MS_EXPERIMENT_PANEL(object)->learns = g_value_get_boolean(value);
}

static void
ms_experiment_panel_constructed(GObject *object)
{
  G_OBJECT_CLASS(ms_experiment_panel_parent_class)->constructed(object);
  fill(MS_EXPERIMENT_PANEL(object));
}

static void
bind_template(GtkWidgetClass *widget_class)
{
  gtk_widget_class_set_template_from_resource(
    widget_class, "/io/github/meanshift_lab/MeanshiftLab/ui/panels/experiment/experiment-panel.ui");
  gtk_widget_class_bind_template_child(widget_class, MsExperimentPanel, picker);
  gtk_widget_class_bind_template_child(widget_class, MsExperimentPanel, open);
  gtk_widget_class_bind_template_child(widget_class, MsExperimentPanel, next);
  gtk_widget_class_bind_template_child(widget_class, MsExperimentPanel, title);
  gtk_widget_class_bind_template_child(widget_class, MsExperimentPanel, details);
  gtk_widget_class_bind_template_child(widget_class, MsExperimentPanel, quick);
  gtk_widget_class_bind_template_child(widget_class, MsExperimentPanel, on_picture);
  gtk_widget_class_bind_template_child_full(widget_class, "bar", TRUE, 0);
  gtk_widget_class_bind_template_child(widget_class, MsExperimentPanel, view);
  gtk_widget_class_bind_template_callback(widget_class, show_details);
  gtk_widget_class_bind_template_callback(widget_class, on_selection_changed);
  gtk_widget_class_bind_template_callback(widget_class, on_open_clicked);
  gtk_widget_class_bind_template_callback(widget_class, on_next_clicked);
  gtk_widget_class_bind_template_callback(widget_class, on_problem);
}

static void
ms_experiment_panel_class_init(MsExperimentPanelClass *klass)
{
  G_OBJECT_CLASS(klass)->dispose = ms_experiment_panel_dispose;
  G_OBJECT_CLASS(klass)->constructed = ms_experiment_panel_constructed;
  G_OBJECT_CLASS(klass)->set_property = ms_experiment_panel_set_property;
  MS_JOB_PANEL_CLASS(klass)->start = ms_experiment_panel_start;
  MS_JOB_PANEL_CLASS(klass)->take = ms_experiment_panel_take;
  MS_JOB_PANEL_CLASS(klass)->progress_text = ms_experiment_panel_progress_text;
  MS_JOB_PANEL_CLASS(klass)->ended_text = ms_experiment_panel_ended_text;
  MS_JOB_PANEL_CLASS(klass)->ready_text = ms_experiment_panel_ready_text;
  g_object_class_install_property(
    G_OBJECT_CLASS(klass), PROP_LEARN,
    g_param_spec_boolean("learn", NULL, NULL, FALSE,
                         G_PARAM_WRITABLE | G_PARAM_CONSTRUCT_ONLY | G_PARAM_STATIC_STRINGS));
  g_type_ensure(MS_TYPE_REPORT_VIEW);
  g_type_ensure(MS_TYPE_EXPERIMENT_PICKER);
  bind_template(GTK_WIDGET_CLASS(klass));
}

static void
ms_experiment_panel_init(MsExperimentPanel *self)
{
  self->reports = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, (GDestroyNotify)ms_report_unref);
  gtk_widget_init_template(GTK_WIDGET(self));
  ms_job_panel_set_bar(MS_JOB_PANEL(self),
                       MS_LAB_BAR(gtk_widget_get_template_child(GTK_WIDGET(self), MS_TYPE_EXPERIMENT_PANEL, "bar")));
}
