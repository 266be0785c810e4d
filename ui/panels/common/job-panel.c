/* SPDX-License-Identifier: MIT */
#include "ui/panels/common/job-panel.h"

#include <glib/gi18n-lib.h>

#include "core/json.h"
#include "core/lab/experiment/experiment-file.h"
#include "core/lab/report/report.h"
#include "ui/common/format.h"

typedef struct {
  GtkButton *button;
  GtkProgressBar *progress; /* while the job runs */
  GtkLabel *note;           /* (nullable): while none runs; once the panel is constructed */
  char *verb;               /* the label of the button at rest, as the .ui file has it */
  MsProgramJob *job;        /* (nullable): the newest */
  char *input;              /* (nullable): the name of the picture that it measures */
  char *outcome;            /* (nullable): how it ended */
  char *outcome_of;         /* (nullable): what stood beside the button then, which it takes the place of */
} MsJobPanelPrivate;

G_DEFINE_ABSTRACT_TYPE_WITH_PRIVATE(MsJobPanel, ms_job_panel, MS_TYPE_PANEL)

static MsJobPanelPrivate *
private_of(MsJobPanel *self)
{
  return ms_job_panel_get_instance_private(self);
}

static void
ms_job_panel_dispose(GObject *object)
{
  ms_program_job_drop(g_steal_pointer(&private_of(MS_JOB_PANEL(object))->job), object);
  G_OBJECT_CLASS(ms_job_panel_parent_class)->dispose(object);
}

static void
ms_job_panel_finalize(GObject *object)
{
  g_free(private_of(MS_JOB_PANEL(object))->verb);
  g_free(private_of(MS_JOB_PANEL(object))->input);
  g_free(private_of(MS_JOB_PANEL(object))->outcome);
  g_free(private_of(MS_JOB_PANEL(object))->outcome_of);
  G_OBJECT_CLASS(ms_job_panel_parent_class)->finalize(object);
}

/** ms_job_panel_get_job: (transfer none) (nullable): the job that runs or ran last. */
MsProgramJob *
ms_job_panel_get_job(MsJobPanel *self)
{
  return private_of(self)->job;
}

gboolean
ms_job_panel_is_running(MsJobPanel *self)
{
  MsProgramJob *job = private_of(self)->job;

  return job && ms_program_job_is_running(job);
}

/* How the last job ended stands beside the button until what the next one would do is something else. */
static void
show_note(MsJobPanel *self, const char *plan)
{
  MsJobPanelPrivate *priv = private_of(self);
  const char *note = priv->outcome && g_strcmp0(priv->outcome_of, plan) == 0 ? priv->outcome : plan;

  gtk_label_set_text(priv->note, note);
  gtk_widget_set_tooltip_text(GTK_WIDGET(priv->note), note);
}

/** ms_job_panel_update_ready: updates whether the button can be clicked and the text beside it, unless a job runs. */
void
ms_job_panel_update_ready(MsJobPanel *self)
{
  MsJobPanelPrivate *priv = private_of(self);
  MsDevice *device = ms_panel_get_device(MS_PANEL(self));
  gboolean ready = device != NULL;

  if (!priv->button || !priv->note || ms_job_panel_is_running(self))
    return;
  g_autofree char *text = MS_JOB_PANEL_GET_CLASS(self)->ready_text(self, device, &ready);
  gtk_widget_set_sensitive(GTK_WIDGET(priv->button), ready);
  show_note(self, text);
}

/** ms_job_panel_set_outcome: @outcome: (nullable): how what was asked for last ended */
void
ms_job_panel_set_outcome(MsJobPanel *self, const char *outcome)
{
  MsJobPanelPrivate *priv = private_of(self);
  gboolean ready;

  g_free(priv->outcome);
  g_free(priv->outcome_of);
  priv->outcome = g_strdup(outcome);
  priv->outcome_of = MS_JOB_PANEL_GET_CLASS(self)->ready_text(self, ms_panel_get_device(MS_PANEL(self)), &ready);
  ms_job_panel_update_ready(self);
}

static void
show_progress(MsJobPanel *self, double fraction, const char *text)
{
  gtk_progress_bar_set_fraction(private_of(self)->progress, CLAMP(fraction, 0, 1));
  gtk_progress_bar_set_text(private_of(self)->progress, text);
}

static void
show_running(MsJobPanel *self, gboolean running)
{
  MsJobPanelPrivate *priv = private_of(self);
  GtkStyleContext *style = gtk_widget_get_style_context(GTK_WIDGET(priv->button));

  gtk_button_set_label(priv->button, running ? _("C_ancel") : priv->verb);
  gtk_widget_set_sensitive(GTK_WIDGET(priv->button), TRUE);
  gtk_widget_set_visible(GTK_WIDGET(priv->progress), running);
  gtk_widget_set_visible(GTK_WIDGET(priv->note), !running);
  if (running)
    gtk_style_context_remove_class(style, GTK_STYLE_CLASS_SUGGESTED_ACTION);
  else
    gtk_style_context_add_class(style, GTK_STYLE_CLASS_SUGGESTED_ACTION);
  show_progress(self, 0, _("Starting…"));
}

static void
on_event(MsJobPanel *self, const char *name, JsonObject *event, MsProgramJob *job)
{
  MsJobPanelClass *klass = MS_JOB_PANEL_GET_CLASS(self);
  const char *message = ms_json_get_text(event, "message");

  klass->take(self, name, event);
  if (!g_str_equal(name, "progress") || ms_program_job_is_cancelled(job))
    return;
  g_autofree char *text = klass->progress_text ? klass->progress_text(self, message ? message : "") : NULL;
  show_progress(self, ms_json_get_number(event, "fraction"), text ? text : message);
}

static void
on_ended(MsJobPanel *self, GError *error)
{
  gboolean cancelled = g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED);

  show_running(self, FALSE);
  g_autofree char *text = error && !cancelled ? ms_words_of_window(error->message)
                                              : MS_JOB_PANEL_GET_CLASS(self)->ended_text(self, cancelled);
  ms_job_panel_set_outcome(self, text);
}

/** ms_job_panel_run: starts the job as a click on the button does; a job that still runs is cancelled. */
void
ms_job_panel_run(MsJobPanel *self)
{
  MsJobPanelPrivate *priv = private_of(self);
  MsDevice *device = ms_panel_get_device(MS_PANEL(self));
  g_autoptr(MsProgramJob) job = ms_program_job_new();

  if (!device)
    return;
  ms_program_job_drop(g_steal_pointer(&priv->job), self);
  g_clear_pointer(&priv->input, g_free);
  if (!MS_JOB_PANEL_GET_CLASS(self)->start(self, job))
    return;
  priv->job = g_steal_pointer(&job);
  ms_program_job_add(priv->job, "--device=%s", device->address);
  g_signal_connect_object(priv->job, "event", G_CALLBACK(on_event), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(priv->job, "ended", G_CALLBACK(on_ended), self, G_CONNECT_SWAPPED);
  show_running(self, TRUE);
  ms_program_job_start(priv->job, ms_panel_get_engine(MS_PANEL(self)));
}

/* A cancelled job ends after its current step, which may take a moment; results so far are kept. */
static void
on_button_clicked(MsJobPanel *self)
{
  MsJobPanelPrivate *priv = private_of(self);

  if (!ms_job_panel_is_running(self)) {
    ms_job_panel_run(self);
    return;
  }
  gtk_widget_set_sensitive(GTK_WIDGET(priv->button), FALSE);
  gtk_progress_bar_set_text(priv->progress, _("Stopping…"));
  ms_program_job_cancel(priv->job);
}

/* What the program measures, and its reports */

/**
 * ms_job_panel_add_experiment: adds --experiment with a file of it, whatever it was made from. What other programs
 * disturbed is marked and ranked, since the window that draws the progress is one of them.
 */
void
ms_job_panel_add_experiment(MsProgramJob *job, const MsExperiment *experiment)
{
  g_autoptr(JsonBuilder) builder = json_builder_new();

  ms_record_add(&ms_experiment_record, experiment, builder);
  g_autofree char *text = ms_json_builder_to_text(builder);
  ms_program_job_add_text(job, "experiment", "experiment.json", text);
  ms_program_job_add(job, "--accept-disturbed");
}

/** ms_job_panel_add_picture: adds the document's picture. */
void
ms_job_panel_add_picture(MsJobPanel *self, MsProgramJob *job)
{
  MsDocument *document = ms_panel_get_document(MS_PANEL(self));

  private_of(self)->input = g_strdup(ms_document_get_title(document));
  ms_program_job_add_picture(job, ms_document_get_file(document), ms_document_get_source(document));
}

/**
 * ms_job_panel_read_report:
 * @event: of the name "report"
 *
 * Returns: (transfer full) (nullable): the report, with why rows failed in the user's language
 */
MsReport *
ms_job_panel_read_report(MsJobPanel *self, JsonObject *event)
{
  MsReport *report = ms_report_from_node(json_object_get_member(event, "report"), NULL);
  JsonArray *shown = ms_json_get_array(event, "shown");

  if (!report)
    return NULL;
  g_free(report->input);
  report->input = g_strdup(private_of(self)->input);
  for (guint i = 0; shown && i < MIN(report->rows->len, json_array_get_length(shown)); i++) {
    const MsReportRow *row = report->rows->pdata[i];
    g_free(row->measurement->shown);
    row->measurement->shown = ms_json_dup_element_text(shown, i);
  }
  return report;
}

/* Object */

static void
ms_job_panel_refresh(MsPanel *panel)
{
  ms_job_panel_update_ready(MS_JOB_PANEL(panel));
}

/* Beside the button. */
static void
add_progress(MsJobPanelPrivate *priv)
{
  GtkBox *box = GTK_BOX(gtk_widget_get_parent(GTK_WIDGET(priv->button)));

  priv->progress = g_object_new(GTK_TYPE_PROGRESS_BAR, "no-show-all", TRUE, "show-text", TRUE, "ellipsize",
                                PANGO_ELLIPSIZE_END, "hexpand", TRUE, "valign", GTK_ALIGN_CENTER, NULL);
  priv->note = g_object_new(GTK_TYPE_LABEL, "visible", TRUE, "xalign", 0.0, "ellipsize", PANGO_ELLIPSIZE_END, NULL);
  gtk_box_pack_start(box, GTK_WIDGET(priv->progress), TRUE, TRUE, 0);
  gtk_box_pack_start(box, GTK_WIDGET(priv->note), TRUE, TRUE, 0);
}

static void
ms_job_panel_constructed(GObject *object)
{
  MsJobPanel *self = MS_JOB_PANEL(object);

  add_progress(private_of(self));
  private_of(self)->verb = g_strdup(gtk_button_get_label(private_of(self)->button));
  ms_job_panel_update_ready(self);
  G_OBJECT_CLASS(ms_job_panel_parent_class)->constructed(object);
}

static void
ms_job_panel_class_init(MsJobPanelClass *klass)
{
  G_OBJECT_CLASS(klass)->constructed = ms_job_panel_constructed;
  G_OBJECT_CLASS(klass)->dispose = ms_job_panel_dispose;
  G_OBJECT_CLASS(klass)->finalize = ms_job_panel_finalize;
  MS_PANEL_CLASS(klass)->refresh = ms_job_panel_refresh;
}

static void
ms_job_panel_init(MsJobPanel *self)
{
}

/**
 * ms_job_panel_bind: as ms_template_bind() for a subclass, whose file has the object "job_button" in a box, at whose
 * end the progress is shown.
 */
void
ms_job_panel_bind(MsJobPanelClass *klass, const char *file, const MsTemplatePart *parts, gsize n)
{
  const MsTemplatePart own[] = {{"job_button", G_PRIVATE_OFFSET(MsJobPanel, button), NULL},
                                MS_TEMPLATE_CALLBACK(on_button_clicked),
                                MS_TEMPLATE_CALLBACK(ms_job_panel_update_ready)};

  ms_template_bind(klass, file, parts, n);
  ms_template_bind(klass, NULL, own, G_N_ELEMENTS(own));
}
