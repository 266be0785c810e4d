/* SPDX-License-Identifier: MIT */
#include "ui/panels/common/panel-job.h"

#include "ui/engine/window-engine-hold.h"

typedef struct {
  MsDevice *device;
  MsWindowEngine *engine; /* (nullable): held while the thread runs */
  GCancellable *cancellable;
  GApplication *held; /* (nullable): while the thread runs */
  gboolean running;
  double fraction;
} MsPanelJobPrivate;

G_DEFINE_ABSTRACT_TYPE_WITH_PRIVATE(MsPanelJob, ms_panel_job, G_TYPE_OBJECT)

enum {
  SIGNAL_PROGRESSED,
  SIGNAL_ENDED,
  N_SIGNALS,
};

static guint signals[N_SIGNALS];

static MsPanelJobPrivate *
private_of(MsPanelJob *self)
{
  return ms_panel_job_get_instance_private(self);
}

static void
ms_panel_job_finalize(GObject *object)
{
  MsPanelJobPrivate *priv = private_of(MS_PANEL_JOB(object));

  g_clear_object(&priv->device);
  g_clear_object(&priv->engine);
  g_clear_object(&priv->cancellable);
  G_OBJECT_CLASS(ms_panel_job_parent_class)->finalize(object);
}

static void
ms_panel_job_class_init(MsPanelJobClass *klass)
{
  G_OBJECT_CLASS(klass)->finalize = ms_panel_job_finalize;
  signals[SIGNAL_PROGRESSED] =
    g_signal_new("progressed", MS_TYPE_PANEL_JOB, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[SIGNAL_ENDED] =
    g_signal_new("ended", MS_TYPE_PANEL_JOB, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_ERROR);
}

static void
ms_panel_job_init(MsPanelJob *self)
{
  private_of(self)->cancellable = g_cancellable_new();
}

/* The program must not exit while a thread is inside the device's driver. */
static GApplication *
hold_application(void)
{
  GApplication *application = g_application_get_default();

  if (!application) /* as in tests */
    return NULL;
  g_application_hold(application);
  return g_object_ref(application);
}

static void
release_application(GApplication *held)
{
  if (!held)
    return;
  g_application_release(held);
  g_object_unref(held);
}

static void
work(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(MsContext) context = ms_context_new(private_of(source)->device, &error);

  if (!context) {
    g_task_return_error(task, g_steal_pointer(&error));
    return;
  }
  MS_PANEL_JOB_GET_CLASS(source)->work(source, task, context, cancellable);
}

static void
on_worked(GObject *source, GAsyncResult *result, gpointer data)
{
  MsPanelJob *self = MS_PANEL_JOB(source);
  g_autoptr(GError) error = NULL;

  MS_PANEL_JOB_GET_CLASS(self)->take(self, G_TASK(result), &error);
  private_of(self)->running = FALSE;
  if (private_of(self)->engine)
    ms_window_engine_release(private_of(self)->engine, private_of(self)->cancellable);
  g_signal_emit(self, signals[SIGNAL_ENDED], 0, error);
  release_application(g_steal_pointer(&private_of(self)->held));
}

static void
start_thread(MsPanelJob *self)
{
  g_autoptr(GTask) task = g_task_new(self, private_of(self)->cancellable, on_worked, NULL);

  /* Results from before the cancellation are kept. */
  g_task_set_check_cancellable(task, FALSE);
  g_task_run_in_thread(task, work);
}

static void
on_held(GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(MsPanelJob) self = data;
  MsPanelJobPrivate *priv = private_of(self);
  g_autoptr(GError) error = NULL;

  if (ms_window_engine_hold_finish(MS_WINDOW_ENGINE(source), result, &error)) {
    start_thread(self);
    return;
  }
  priv->running = FALSE;
  g_signal_emit(self, signals[SIGNAL_ENDED], 0, error);
  release_application(g_steal_pointer(&priv->held));
}

/**
 * ms_panel_job_start: called once; the job keeps a reference to itself until it has emitted "ended".
 * @engine: (nullable): its requests end first, then wait until the job has ended, because they would disturb
 *   measurements
 */
void
ms_panel_job_start(MsPanelJob *self, MsDevice *device, MsWindowEngine *engine)
{
  MsPanelJobPrivate *priv = private_of(self);

  priv->device = g_object_ref(device);
  priv->engine = engine ? g_object_ref(engine) : NULL;
  priv->running = TRUE;
  priv->held = hold_application();
  if (engine)
    ms_window_engine_hold_async(engine, priv->cancellable, on_held, g_object_ref(self));
  else
    start_thread(self);
}

/** ms_panel_job_cancel: stops the work after its current band; results so far are kept. */
void
ms_panel_job_cancel(MsPanelJob *self)
{
  g_cancellable_cancel(private_of(self)->cancellable);
}

/** ms_panel_job_drop: @self: (nullable) (transfer full): cancels a job and disconnects @follower from it. */
void
ms_panel_job_drop(MsPanelJob *self, gpointer follower)
{
  if (!self)
    return;
  ms_panel_job_cancel(self);
  g_signal_handlers_disconnect_by_data(self, follower);
  g_object_unref(self);
}

gboolean
ms_panel_job_is_running(MsPanelJob *self)
{
  return private_of(self)->running;
}

gboolean
ms_panel_job_is_cancelled(MsPanelJob *self)
{
  return g_cancellable_is_cancelled(private_of(self)->cancellable);
}

/** ms_panel_job_get_fraction: the finished share, 0 to 1 */
double
ms_panel_job_get_fraction(MsPanelJob *self)
{
  return private_of(self)->fraction;
}

/** ms_panel_job_set_fraction: for subclasses, on the main loop. */
void
ms_panel_job_set_fraction(MsPanelJob *self, double fraction)
{
  private_of(self)->fraction = fraction;
}

/** ms_panel_job_report_progress: emits "progressed"; for subclasses, on the main loop. */
void
ms_panel_job_report_progress(MsPanelJob *self)
{
  g_signal_emit(self, signals[SIGNAL_PROGRESSED], 0);
}
