/* SPDX-License-Identifier: MIT */
#include "ui/engine/window-engine-private.h"

#include <string.h>

#include "core/error.h"

/* How often the main loop checks the worker, and its extra time beyond that of the watchdog. */
#define PULSE_MS 1000
#define GRACE_US (10 * G_USEC_PER_SEC)
#define DEFAULT_WATCHDOG_MS 30000

/* How long the program waits for the running band when it is closed. */
#define QUIT_PATIENCE_US (5 * G_USEC_PER_SEC)

G_DEFINE_FINAL_TYPE(MsWindowEngine, ms_window_engine, G_TYPE_OBJECT)

enum {
  SIGNAL_CHANGED,
  N_SIGNALS,
};

static guint signals[N_SIGNALS];

static void
ms_window_engine_dispose(GObject *object)
{
  ms_window_engine_shut_down(MS_WINDOW_ENGINE(object));
  G_OBJECT_CLASS(ms_window_engine_parent_class)->dispose(object);
}

static void
ms_window_engine_finalize(GObject *object)
{
  MsWindowEngine *self = MS_WINDOW_ENGINE(object);

  g_free(self->device_selector);
  g_clear_object(&self->device);
  g_clear_pointer(&self->devices, g_ptr_array_unref);
  g_free(self->explanation);
  g_clear_error(&self->problem);
  g_ptr_array_unref(self->holders);
  ms_rates_free(self->rates);
  G_OBJECT_CLASS(ms_window_engine_parent_class)->finalize(object);
}

static void
ms_window_engine_class_init(MsWindowEngineClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS(klass);

  object_class->dispose = ms_window_engine_dispose;
  object_class->finalize = ms_window_engine_finalize;
  signals[SIGNAL_CHANGED] =
    g_signal_new("changed", MS_TYPE_WINDOW_ENGINE, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  g_signal_new("holders-changed", MS_TYPE_WINDOW_ENGINE, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
fail(MsWindowEngine *self, const GError *problem)
{
  self->state = MS_WINDOW_ENGINE_FAILED;
  g_clear_error(&self->problem);
  self->problem = g_error_copy(problem);
  g_signal_emit(self, signals[SIGNAL_CHANGED], 0);
}

/* The hung thread keeps its worker; the waiting jobs are moved to a new one. */
static void
replace_worker(MsWindowEngine *self, MsJob *hung)
{
  MsWorker *fresh = ms_worker_new();
  MsJob *job;

  ms_worker_set_watchdog(fresh, self->watchdog_ms);
  while ((job = ms_worker_take_waiting(self->worker)))
    ms_worker_push(fresh, job);
  ms_worker_unref(self->worker);
  self->worker = fresh;
  g_autoptr(GError) error = NULL;
  ms_set_error(&error, MS_ERROR_TIMEOUT, "The device %s has stopped answering. Choose another device.",
               self->device ? ms_device_get_name(self->device) : "auto");
  fail(self, error);
  /* From now on, results of the thread are ignored. */
  if (hung->filter.cancellable)
    g_cancellable_cancel(hung->filter.cancellable);
  if (ms_job_claim(hung))
    g_task_return_error(hung->task, g_error_copy(error));
}

static gboolean
pulse(gpointer data)
{
  MsWindowEngine *self = data;
  gint64 patience = (gint64)self->watchdog_ms * 1000 + GRACE_US;

  if (self->watchdog_ms == 0 || self->state == MS_WINDOW_ENGINE_OPENING || ms_window_engine_is_reference(self))
    return G_SOURCE_CONTINUE;
  g_autoptr(MsJob) hung = ms_worker_abandon_if_silent(self->worker, patience);
  if (hung)
    replace_worker(self, hung);
  return G_SOURCE_CONTINUE;
}

static void
ms_window_engine_init(MsWindowEngine *self)
{
  self->worker = ms_worker_new();
  self->rates = ms_rates_new();
  self->device_selector = g_strdup("auto");
  self->devices = g_ptr_array_new_with_free_func(g_object_unref);
  self->holders = g_ptr_array_new_with_free_func(g_object_unref);
  self->state = MS_WINDOW_ENGINE_OPENING;
  ms_window_engine_set_watchdog(self, DEFAULT_WATCHDOG_MS);
  self->pulse = g_timeout_add(PULSE_MS, pulse, self);
}

/** ms_window_engine_new: (transfer full): an engine whose thread runs; ms_window_engine_choose() gives it a device. */
MsWindowEngine *
ms_window_engine_new(void)
{
  return g_object_new(MS_TYPE_WINDOW_ENGINE, NULL);
}

static void
take_opened(MsWindowEngine *self, MsOpened *opened)
{
  g_set_object(&self->device, opened->device);
  if (opened->devices) {
    g_ptr_array_unref(self->devices);
    self->devices = g_ptr_array_ref(opened->devices);
  }
  g_free(self->explanation);
  self->explanation = g_steal_pointer(&opened->explanation);
  self->state = MS_WINDOW_ENGINE_READY;
  g_signal_emit(self, signals[SIGNAL_CHANGED], 0);
}

static void
opened_cb(GObject *source, GAsyncResult *result, gpointer data)
{
  MsWindowEngine *self = MS_WINDOW_ENGINE(source);
  g_autoptr(GError) error = NULL;
  g_autoptr(MsOpened) opened = g_task_propagate_pointer(G_TASK(result), &error);

  if (GPOINTER_TO_UINT(data) != self->openings)
    return;
  if (opened)
    take_opened(self, opened);
  else
    fail(self, error);
}

/**
 * ms_window_engine_choose:
 * @device_selector: as ms_device_choose() takes it, or #MS_ENGINE_REFERENCE
 *
 * Opens another device once the running job has ended; then "changed" is emitted.
 */
void
ms_window_engine_choose(MsWindowEngine *self, const char *device_selector)
{
  g_autoptr(GTask) task = g_task_new(self, NULL, opened_cb, GUINT_TO_POINTER(++self->openings));
  MsJob *job = ms_job_new(MS_JOB_OPEN, task);
  char *copy = g_strdup(device_selector);

  g_free(self->device_selector);
  self->device_selector = copy;
  job->device_selector = g_strdup(device_selector);
  self->state = MS_WINDOW_ENGINE_OPENING;
  g_clear_error(&self->problem);
  g_clear_object(&self->device);
  g_clear_pointer(&self->explanation, g_free);
  ms_worker_push(self->worker, job);
  g_signal_emit(self, signals[SIGNAL_CHANGED], 0);
}

/** ms_window_engine_shut_down: ends the thread after the running band; waiting jobs are cancelled. */
void
ms_window_engine_shut_down(MsWindowEngine *self)
{
  MsJob *job;

  g_clear_handle_id(&self->pulse, g_source_remove);
  if (!self->worker)
    return;
  while ((job = ms_worker_take_waiting(self->worker))) {
    if (ms_job_claim(job))
      g_task_return_new_error(job->task, G_IO_ERROR, G_IO_ERROR_CANCELLED, "The window is closing.");
    ms_job_unref(job);
  }
  if (!ms_worker_quit(self->worker, QUIT_PATIENCE_US))
    g_message("The device did not come to rest; the program ends without it.");
  g_clear_pointer(&self->worker, ms_worker_unref);
}

/**
 * ms_window_engine_set_watchdog: how long the device may report no progress before it counts as hung; 0 for no limit.
 */
void
ms_window_engine_set_watchdog(MsWindowEngine *self, guint milliseconds)
{
  self->watchdog_ms = milliseconds;
  ms_worker_set_watchdog(self->worker, milliseconds);
}

MsWindowEngineState
ms_window_engine_get_state(MsWindowEngine *self)
{
  return self->state;
}

/** ms_window_engine_get_device_selector: (transfer none): the device selector that was chosen last. */
const char *
ms_window_engine_get_device_selector(MsWindowEngine *self)
{
  return self->device_selector;
}

/** ms_window_engine_get_device: (transfer none) (nullable): the device in use. */
MsDevice *
ms_window_engine_get_device(MsWindowEngine *self)
{
  return self->device;
}

/** ms_window_engine_is_reference: whether the serial reference was chosen in place of a device. */
gboolean
ms_window_engine_is_reference(MsWindowEngine *self)
{
  return strcmp(self->device_selector, MS_ENGINE_REFERENCE) == 0;
}

/** ms_window_engine_get_devices: (transfer none) (element-type MsDevice): every device of the machine. */
GPtrArray *
ms_window_engine_get_devices(MsWindowEngine *self)
{
  return self->devices;
}

/** ms_window_engine_get_explanation: (transfer none) (nullable): why devices before the one in use were rejected. */
const char *
ms_window_engine_get_explanation(MsWindowEngine *self)
{
  return self->explanation;
}

/** ms_window_engine_get_problem: (transfer none) (nullable): why there is no device. */
const GError *
ms_window_engine_get_problem(MsWindowEngine *self)
{
  return self->problem;
}

/** ms_window_engine_get_rates: (transfer none): the kernel times of all runs so far. */
MsRates *
ms_window_engine_get_rates(MsWindowEngine *self)
{
  return self->rates;
}

static void
note_loss(MsWindowEngine *self, const GError *error)
{
  if (self->state == MS_WINDOW_ENGINE_READY && g_error_matches(error, MS_ERROR, MS_ERROR_TIMEOUT))
    fail(self, error);
}

/** ms_window_engine_call_async: calls a function on the engine's thread, between two filter requests. */
void
ms_window_engine_call_async(MsWindowEngine *self, const MsWindowEngineCall *call, GCancellable *cancellable,
                            GAsyncReadyCallback callback, gpointer user_data)
{
  g_autoptr(GTask) task = g_task_new(self, cancellable, callback, user_data);
  MsJob *job = ms_job_new(MS_JOB_CALL, task);

  job->func = call->func;
  job->data = call->data;
  job->free_data = call->free_data;
  job->free_result = call->free_result;
  ms_worker_push(self->worker, job);
}

/** ms_window_engine_call_finish: (transfer full): what the function returned, or %NULL with @error set. */
gpointer
ms_window_engine_call_finish(MsWindowEngine *self, GAsyncResult *result, GError **error)
{
  g_autoptr(GError) failure = NULL;
  gpointer value = g_task_propagate_pointer(G_TASK(result), &failure);

  if (failure) {
    note_loss(self, failure);
    g_propagate_error(error, g_steal_pointer(&failure));
  }
  return value;
}
