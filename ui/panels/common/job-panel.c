/* SPDX-License-Identifier: MIT */
#include "ui/panels/common/job-panel.h"

#include "core/json.h"
#include "ui/common/words.h"

typedef struct {
  MsLabBar *bar;
  MsProgramJob *job; /* (nullable): the newest */
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
  MsJobPanelPrivate *priv = private_of(MS_JOB_PANEL(object));

  ms_program_job_drop(g_steal_pointer(&priv->job), object);
  priv->bar = NULL;
  G_OBJECT_CLASS(ms_job_panel_parent_class)->dispose(object);
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

/** ms_job_panel_update_ready: updates whether the button can be clicked and the text beside it, unless a job runs. */
void
ms_job_panel_update_ready(MsJobPanel *self)
{
  MsJobPanelPrivate *priv = private_of(self);
  MsDevice *device = ms_panel_get_device(MS_PANEL(self));
  gboolean ready = device != NULL;

  if (!priv->bar || ms_job_panel_is_running(self))
    return;
  g_autofree char *text = MS_JOB_PANEL_GET_CLASS(self)->ready_text(self, device, &ready);
  ms_lab_bar_set_ready(priv->bar, ready);
  ms_lab_bar_set_note(priv->bar, text);
}

static void
on_event(MsJobPanel *self, const char *name, JsonObject *event, MsProgramJob *job)
{
  MsJobPanelClass *klass = MS_JOB_PANEL_GET_CLASS(self);
  const char *message = ms_json_get_text(event, "message");

  klass->take(self, name, event);
  if (!g_str_equal(name, "progress") || ms_program_job_is_cancelled(job))
    return;
  g_autofree char *text = klass->progress_text(self, message ? message : "");
  ms_lab_bar_set_progress(private_of(self)->bar, ms_json_get_number(event, "fraction"), text);
}

static void
on_ended(MsJobPanel *self, GError *error)
{
  MsJobPanelClass *klass = MS_JOB_PANEL_GET_CLASS(self);
  gboolean cancelled = g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED);

  ms_lab_bar_set_running(private_of(self)->bar, FALSE);
  ms_job_panel_update_ready(self);
  g_autofree char *text = error && !cancelled ? ms_words_of_window(error->message) : klass->ended_text(self, cancelled);
  ms_lab_bar_set_note(private_of(self)->bar, text);
}

/** ms_job_panel_run: starts the job as a click on the button does; a job that still runs is cancelled. */
void
ms_job_panel_run(MsJobPanel *self)
{
  MsJobPanelPrivate *priv = private_of(self);
  MsDevice *device = ms_panel_get_device(MS_PANEL(self));

  if (!device)
    return;
  ms_program_job_drop(g_steal_pointer(&priv->job), self);
  priv->job = MS_JOB_PANEL_GET_CLASS(self)->start(self, device);
  if (!priv->job)
    return;
  ms_program_job_add(priv->job, "--device=%s", ms_device_get_address(device));
  g_signal_connect_object(priv->job, "event", G_CALLBACK(on_event), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(priv->job, "ended", G_CALLBACK(on_ended), self, G_CONNECT_SWAPPED);
  ms_lab_bar_set_running(priv->bar, TRUE);
  ms_program_job_start(priv->job, ms_document_get_engine(ms_panel_get_document(MS_PANEL(self))));
}

/* Ends the running job after its current step; results so far are kept. */
static void
cancel(MsJobPanel *self)
{
  if (private_of(self)->job)
    ms_program_job_cancel(private_of(self)->job);
}

/** ms_job_panel_set_bar: called once, by the subclass's init; @bar (transfer none) is a child of the panel. */
void
ms_job_panel_set_bar(MsJobPanel *self, MsLabBar *bar)
{
  private_of(self)->bar = bar;
  g_signal_connect_object(bar, "start", G_CALLBACK(ms_job_panel_run), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(bar, "cancel", G_CALLBACK(cancel), self, G_CONNECT_SWAPPED);
  ms_job_panel_update_ready(self);
}

void
ms_job_panel_set_note(MsJobPanel *self, const char *note)
{
  ms_lab_bar_set_note(private_of(self)->bar, note);
}

static void
ms_job_panel_refresh(MsPanel *panel)
{
  ms_job_panel_update_ready(MS_JOB_PANEL(panel));
}

static void
ms_job_panel_attach(MsPanel *panel, MsDocument *document)
{
  ms_panel_follow(panel, ms_document_get_engine(document), "changed");
}

static void
ms_job_panel_class_init(MsJobPanelClass *klass)
{
  G_OBJECT_CLASS(klass)->dispose = ms_job_panel_dispose;
  MS_PANEL_CLASS(klass)->attach = ms_job_panel_attach;
  MS_PANEL_CLASS(klass)->refresh = ms_job_panel_refresh;
  g_type_ensure(MS_TYPE_LAB_BAR);
}

static void
ms_job_panel_init(MsJobPanel *self)
{
}
