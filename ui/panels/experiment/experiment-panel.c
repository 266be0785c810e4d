/* SPDX-License-Identifier: MIT */
#include "ui/panels/experiment/experiment-panel.h"

#include <string.h>

#include "core/lab/experiment/experiment-file.h"
#include "ui/panels/common/lab-job.h"
#include "ui/panels/common/panel-style.h"
#include "ui/panels/experiment/experiment-details.h"

struct _MsExperimentPanel {
  MsJobPanel parent_instance;
  GtkTreeView *tree;
  GtkListStore *store;
  GtkLabel *title;
  GtkLabel *details;
  GtkToggleButton *quick;
  GtkToggleButton *on_picture;
  MsReportView *view;
  GHashTable *reports;    /* name → MsReport: the latest report of each experiment */
  MsExperiment *selected; /* (nullable) */
  MsExperiment *running;  /* (nullable): the experiment of the running job */
};

G_DEFINE_FINAL_TYPE(MsExperimentPanel, ms_experiment_panel, MS_TYPE_JOB_PANEL)

/* As in experiment-panel.ui. */
enum {
  COLUMN_EXPERIMENT,
  COLUMN_STUDY,
  COLUMN_TITLE,
  COLUMN_NAME,
};

static void
clear_store(MsExperimentPanel *self)
{
  GtkTreeModel *model = GTK_TREE_MODEL(self->store);
  GtkTreeIter iter;

  for (gboolean more = gtk_tree_model_get_iter_first(model, &iter); more;
       more = gtk_tree_model_iter_next(model, &iter)) {
    MsExperiment *experiment;
    gtk_tree_model_get(model, &iter, COLUMN_EXPERIMENT, &experiment, -1);
    ms_experiment_unref(experiment);
  }
  gtk_list_store_clear(self->store);
}

static void
ms_experiment_panel_dispose(GObject *object)
{
  MsExperimentPanel *self = MS_EXPERIMENT_PANEL(object);

  if (self->store) {
    g_signal_handlers_disconnect_by_data(gtk_tree_view_get_selection(self->tree), self);
    clear_store(self);
    self->store = NULL;
  }
  g_clear_pointer(&self->selected, ms_experiment_unref);
  g_clear_pointer(&self->running, ms_experiment_unref);
  g_clear_pointer(&self->reports, g_hash_table_unref);
  G_OBJECT_CLASS(ms_experiment_panel_parent_class)->dispose(object);
}

static void
show_details(MsExperimentPanel *self)
{
  gboolean quick = gtk_toggle_button_get_active(self->quick);

  if (!self->selected) {
    gtk_label_set_text(self->title, "");
    gtk_label_set_text(self->details, "Pick an experiment to see what it varies and what was published.");
    return;
  }
  g_autofree char *markup = ms_experiment_details(self->selected, quick);
  g_autofree char *title = self->selected->study && *self->selected->study
                             ? g_strdup_printf("%s [%s %s]", self->selected->title, self->selected->study,
                                               self->selected->section ? self->selected->section : "")
                             : g_strdup(self->selected->title);
  gtk_label_set_text(self->title, title);
  gtk_label_set_markup(self->details, markup);
  gtk_widget_set_sensitive(GTK_WIDGET(self->on_picture), strcmp(self->selected->kind, "mean-shift") == 0);
}

static MsExperiment *
experiment_at(MsExperimentPanel *self, GtkTreeIter *iter)
{
  MsExperiment *experiment;

  gtk_tree_model_get(GTK_TREE_MODEL(self->store), iter, COLUMN_EXPERIMENT, &experiment, -1);
  return experiment;
}

static void
on_selection_changed(MsExperimentPanel *self)
{
  GtkTreeIter iter;

  g_clear_pointer(&self->selected, ms_experiment_unref);
  if (gtk_tree_selection_get_selected(gtk_tree_view_get_selection(self->tree), NULL, &iter))
    self->selected = ms_experiment_ref(experiment_at(self, &iter));
  show_details(self);
  ms_report_view_set_report(self->view,
                            self->selected ? g_hash_table_lookup(self->reports, self->selected->name) : NULL);
  ms_job_panel_update_ready(MS_JOB_PANEL(self));
}

static void
add_experiment(MsExperimentPanel *self, MsExperiment *experiment)
{
  GtkTreeIter iter;

  gtk_list_store_insert_with_values(self->store, &iter, -1, COLUMN_EXPERIMENT, ms_experiment_ref(experiment),
                                    COLUMN_STUDY, experiment->study ? experiment->study : "own", COLUMN_TITLE,
                                    experiment->title, COLUMN_NAME, experiment->name, -1);
}

static void
list_experiments(MsExperimentPanel *self)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(GPtrArray) all = ms_experiment_list(&error);

  for (guint i = 0; all && i < all->len; i++)
    add_experiment(self, all->pdata[i]);
  if (!all)
    gtk_label_set_text(self->details, error->message);
}

guint
ms_experiment_panel_get_n_experiments(MsExperimentPanel *self)
{
  return (guint)gtk_tree_model_iter_n_children(GTK_TREE_MODEL(self->store), NULL);
}

/** ms_experiment_panel_select: selects an experiment; %FALSE if there is none of that name */
gboolean
ms_experiment_panel_select(MsExperimentPanel *self, const char *name)
{
  GtkTreeModel *model = GTK_TREE_MODEL(self->store);
  GtkTreeIter iter;

  for (gboolean more = gtk_tree_model_get_iter_first(model, &iter); more;
       more = gtk_tree_model_iter_next(model, &iter)) {
    if (strcmp(experiment_at(self, &iter)->name, name) != 0)
      continue;
    gtk_tree_selection_select_iter(gtk_tree_view_get_selection(self->tree), &iter);
    return TRUE;
  }
  return FALSE;
}

/** ms_experiment_panel_add_file: adds the experiment of a file to the list and selects it. */
gboolean
ms_experiment_panel_add_file(MsExperimentPanel *self, const char *path, GError **error)
{
  g_autoptr(MsExperiment) experiment = ms_experiment_load(path, error);

  if (!experiment)
    return FALSE;
  add_experiment(self, experiment);
  return ms_experiment_panel_select(self, experiment->name);
}

/* Running */

static char *
ms_experiment_panel_ready_text(MsJobPanel *panel, MsDevice *device, gboolean *ready)
{
  *ready = device && MS_EXPERIMENT_PANEL(panel)->selected;
  return device ? g_strdup_printf("Measures on %s.", ms_device_get_name(device))
                : g_strdup("Open a picture and choose an OpenCL device to measure on.");
}

/* Keeps the report of the running experiment, and shows it while that experiment is selected. */
static void
ms_experiment_panel_show(MsJobPanel *panel, MsPanelJob *job)
{
  MsExperimentPanel *self = MS_EXPERIMENT_PANEL(panel);
  MsReport *report = ms_lab_job_get_report(MS_LAB_JOB(job));

  if (!report)
    return;
  g_hash_table_replace(self->reports, g_strdup(self->running->name), ms_report_ref(report));
  if (self->selected && strcmp(self->selected->name, self->running->name) == 0)
    ms_report_view_set_report(self->view, report);
}

static char *
ms_experiment_panel_progress_text(MsJobPanel *panel, MsPanelJob *job)
{
  MsExperimentPanel *self = MS_EXPERIMENT_PANEL(panel);

  return g_strdup_printf("%s: %s", self->running->title, ms_lab_job_get_message(MS_LAB_JOB(job)));
}

static char *
ms_experiment_panel_ended_text(MsJobPanel *panel, MsPanelJob *job, gboolean cancelled)
{
  const MsReport *report = ms_lab_job_get_report(MS_LAB_JOB(job));

  if (cancelled)
    return g_strdup("Cancelled; the results so far are shown.");
  if (!report)
    return g_strdup("");
  guint ok = ms_report_count(report, MS_OUTCOME_OK), wrong = ms_report_count(report, MS_OUTCOME_WRONG);
  g_autofree char *bad = wrong ? g_strdup_printf(", %u WRONG", wrong) : g_strdup("");
  return g_strdup_printf("Done: %u of %u configurations measured and verified%s.", ok, report->rows->len, bad);
}

static MsPanelJob *
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
  MsLabJobSpec spec = {.experiment = self->running,
                       .device = device,
                       .image = picture ? ms_document_get_source(document) : NULL,
                       .input = picture ? ms_document_get_title(document) : NULL,
                       .quick = gtk_toggle_button_get_active(self->quick)};
  return MS_PANEL_JOB(ms_lab_job_start(&spec));
}

MsReportView *
ms_experiment_panel_get_view(MsExperimentPanel *self)
{
  return self->view;
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
    gtk_file_chooser_native_new("Open an Experiment", GTK_IS_WINDOW(window) ? GTK_WINDOW(window) : NULL,
                                GTK_FILE_CHOOSER_ACTION_OPEN, "_Open", "_Cancel");

  gtk_native_dialog_set_modal(GTK_NATIVE_DIALOG(dialog), TRUE);
  g_signal_connect_object(dialog, "response", G_CALLBACK(on_file_chosen), self, 0);
  gtk_native_dialog_show(GTK_NATIVE_DIALOG(dialog));
}

static void
bind_template(GtkWidgetClass *widget_class)
{
  gtk_widget_class_set_template_from_resource(
    widget_class, "/io/github/meanshift_lab/MeanshiftLab/ui/panels/experiment/experiment-panel.ui");
  gtk_widget_class_bind_template_child(widget_class, MsExperimentPanel, tree);
  gtk_widget_class_bind_template_child(widget_class, MsExperimentPanel, store);
  gtk_widget_class_bind_template_child(widget_class, MsExperimentPanel, title);
  gtk_widget_class_bind_template_child(widget_class, MsExperimentPanel, details);
  gtk_widget_class_bind_template_child(widget_class, MsExperimentPanel, quick);
  gtk_widget_class_bind_template_child(widget_class, MsExperimentPanel, on_picture);
  gtk_widget_class_bind_template_child_full(widget_class, "bar", TRUE, 0);
  gtk_widget_class_bind_template_child(widget_class, MsExperimentPanel, view);
  gtk_widget_class_bind_template_callback(widget_class, show_details);
  gtk_widget_class_bind_template_callback(widget_class, on_selection_changed);
  gtk_widget_class_bind_template_callback(widget_class, on_open_clicked);
  gtk_widget_class_bind_template_callback(widget_class, on_problem);
}

static void
ms_experiment_panel_class_init(MsExperimentPanelClass *klass)
{
  G_OBJECT_CLASS(klass)->dispose = ms_experiment_panel_dispose;
  MS_JOB_PANEL_CLASS(klass)->start = ms_experiment_panel_start;
  MS_JOB_PANEL_CLASS(klass)->show = ms_experiment_panel_show;
  MS_JOB_PANEL_CLASS(klass)->progress_text = ms_experiment_panel_progress_text;
  MS_JOB_PANEL_CLASS(klass)->ended_text = ms_experiment_panel_ended_text;
  MS_JOB_PANEL_CLASS(klass)->ready_text = ms_experiment_panel_ready_text;
  g_type_ensure(MS_TYPE_REPORT_VIEW);
  bind_template(GTK_WIDGET_CLASS(klass));
}

static void
ms_experiment_panel_init(MsExperimentPanel *self)
{
  self->reports = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, (GDestroyNotify)ms_report_unref);
  gtk_widget_init_template(GTK_WIDGET(self));
  ms_panel_tree_tooltip(self->tree, COLUMN_TITLE);
  list_experiments(self);
  show_details(self);
  ms_job_panel_set_bar(MS_JOB_PANEL(self),
                       MS_LAB_BAR(gtk_widget_get_template_child(GTK_WIDGET(self), MS_TYPE_EXPERIMENT_PANEL, "bar")));
}
