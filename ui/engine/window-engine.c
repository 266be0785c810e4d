/* SPDX-License-Identifier: MIT */
#include "ui/engine/window-engine-private.h"

#include <glib/gi18n-lib.h>
#include <string.h>
#include <unistd.h>

#define DEFAULT_WATCHDOG_MS 30000

/* How long the process may take to end by itself when the window is closed. */
#define CLOSE_S 1.5

G_DEFINE_FINAL_TYPE(MsWindowEngine, ms_window_engine, G_TYPE_OBJECT)

/* Jobs */

/** ms_window_job_new: (transfer full): a job that completes @task (transfer none) (nullable). */
MsWindowJob *
ms_window_job_new(MsWindowJobKind kind, GTask *task)
{
  MsWindowJob *self = g_new0(MsWindowJob, 1);

  self->kind = kind;
  self->task = task ? g_object_ref(task) : NULL;
  return self;
}

void
ms_window_job_free(MsWindowJob *self)
{
  if (self->cancelled) {
    g_source_destroy(self->cancelled);
    g_source_unref(self->cancelled);
  }
  if (self->free_data)
    self->free_data(self->data);
  g_clear_pointer(&self->call.content, g_variant_unref);
  for (guint i = 0; i < MS_CHANNEL_MOST_FDS; i++)
    g_clear_pointer(&self->call.pixels[i], ms_shared_pixels_unref);
  g_clear_object(&self->task);
  g_free(self);
}

/** ms_window_job_get_cancellable: (transfer none) (nullable): what cancels it. */
GCancellable *
ms_window_job_get_cancellable(const MsWindowJob *job)
{
  return job->task ? g_task_get_cancellable(job->task) : NULL;
}

/** ms_window_job_fail: frees a job, whose task returns @error (transfer full). */
void
ms_window_job_fail(MsWindowJob *job, GError *error)
{
  if (job->task)
    g_task_return_error(job->task, error);
  else
    g_error_free(error);
  ms_window_job_free(job);
}

/** ms_window_job_fail_cancelled: frees a job, whose task was cancelled. */
void
ms_window_job_fail_cancelled(MsWindowJob *job)
{
  ms_window_job_fail(job, g_error_new_literal(G_IO_ERROR, G_IO_ERROR_CANCELLED, _("The request was cancelled.")));
}

void
ms_answer_free(MsAnswer *self)
{
  g_variant_unref(self->content);
  if (self->fd >= 0)
    close(self->fd);
  g_free(self);
}

/** ms_window_job_compare: the order in which waiting jobs are taken. */
int
ms_window_job_compare(gconstpointer a, gconstpointer b, gpointer unused)
{
  const MsWindowJob *p = a, *q = b;

  return p->kind != q->kind ? (int)p->kind - (int)q->kind : (p->serial > q->serial) - (p->serial < q->serial);
}

/** ms_window_engine_name_device: (transfer none): the name of the device in use, else its selector. */
const char *
ms_window_engine_name_device(MsWindowEngine *self)
{
  return self->device ? self->device->title : self->device_selector;
}

/* What the process sends */

/** ms_window_engine_take_running: (transfer full) (nullable): takes the running job out; nothing runs then. */
MsWindowJob *
ms_window_engine_take_running(MsWindowEngine *self)
{
  if (self->driver)
    ms_driver_expect(self->driver, FALSE, 0);
  g_clear_handle_id(&self->cancel_timer, g_source_remove);
  return g_steal_pointer(&self->running);
}

static void
take_failure(MsWindowEngine *self, GVariant *content)
{
  MsWindowJob *job = ms_window_engine_take_running(self);
  gboolean is_lost;
  GError *error = ms_service_take_failure(content, &is_lost);

  if (job->kind == MS_WINDOW_JOB_OPEN && self->opening == self->openings)
    ms_window_engine_fail(self, error);
  if (is_lost)
    ms_driver_stop(self->driver, MS_CHILD_END_FINISHED);
  ms_window_job_fail(job, error);
}

static gboolean
take_answer(MsWindowEngine *self, MsMessage *message, GVariant *content)
{
  MsWindowJob *job = self->running;

  if (message->kind != job->call.answer)
    return FALSE;
  if (job->kind == MS_WINDOW_JOB_OPEN) {
    if (self->opening == self->openings && !ms_window_engine_take_opened(self, content))
      return FALSE;
    ms_window_job_free(ms_window_engine_take_running(self));
    return TRUE;
  }
  MsAnswer *answer = g_new(MsAnswer, 1);
  *answer = (MsAnswer){g_variant_ref(content), message->fds[0]};
  message->fds[0] = -1;
  gpointer result = job->complete ? job->complete(job, answer) : answer;
  if (!result)
    return FALSE;
  self->deaths = 0;
  job = ms_window_engine_take_running(self);
  g_task_return_pointer(job->task, result, job->complete ? job->free_result : (GDestroyNotify)ms_answer_free);
  ms_window_job_free(job);
  return TRUE;
}

static gboolean
take_message(MsWindowEngine *self, MsMessage *message)
{
  g_autoptr(GVariant) content = g_variant_get_child_value(message->payload, 1);
  MsWindowJob *job = self->running;
  guint32 number;

  g_variant_get_child(message->payload, 0, "u", &number);
  if (!job || number != self->number)
    return FALSE;
  if (message->kind == MS_ANSWER_FAILED) {
    take_failure(self, content);
    return TRUE;
  }
  if (message->kind > MS_ANSWER_PIECE)
    return take_answer(self, message, content);
  job->has_reported = TRUE;
  return !job->report || g_cancellable_is_cancelled(ms_window_job_get_cancellable(job)) ||
         job->report(job, message->kind, content);
}

/** ms_window_engine_on_message: takes a message of the process. */
MsDriverEvent
ms_window_engine_on_message(MsMessage *message, gpointer data)
{
  g_autoptr(MsWindowEngine) self = g_object_ref(data);

  if (!take_message(self, message) && self->driver)
    ms_driver_stop(self->driver, MS_CHILD_END_BROKEN);
  ms_window_engine_send_next(self);
  return message->kind == MS_ANSWER_OPENED && self->is_open ? MS_DRIVER_OPENED : MS_DRIVER_NOTHING;
}

/* What is sent to the process */

/** ms_window_engine_send: sends @job (transfer full), which runs from now on. */
void
ms_window_engine_send(MsWindowEngine *self, MsWindowJob *job)
{
  int fds[MS_CHANNEL_MOST_FDS];

  for (guint i = 0; i < MS_CHANNEL_MOST_FDS; i++)
    fds[i] = job->call.pixels[i] ? ms_shared_pixels_get_fd(job->call.pixels[i]) : -1;
  self->running = job;
  self->number++;
  job->has_reported = FALSE;
  ms_window_engine_watch(self, job);
  ms_service_request(self->driver, self->number, job->call.kind, job->call.content, fds);
}

/* Completes a job that takes no request; whether it did. */
static gboolean
complete_at_once(MsWindowEngine *self, MsWindowJob *job)
{
  if (g_cancellable_is_cancelled(ms_window_job_get_cancellable(job))) {
    ms_window_job_fail_cancelled(job);
    return TRUE;
  }
  if (job->kind == MS_WINDOW_JOB_HOLD) {
    self->is_held = TRUE;
    g_task_return_boolean(job->task, TRUE);
    ms_window_job_free(job);
    return TRUE;
  }
  if (self->state != MS_WINDOW_ENGINE_FAILED)
    return FALSE;
  ms_window_job_fail(job, g_error_copy(self->problem));
  return TRUE;
}

/** ms_window_engine_send_next: sends what is next, unless something runs. */
void
ms_window_engine_send_next(MsWindowEngine *self)
{
  while (!self->running && !self->is_held && !self->is_closed && !ms_driver_is_ending(self->driver)) {
    const MsWindowJob *next = g_queue_peek_head(&self->waiting);
    const gboolean needs_device = next ? next->kind != MS_WINDOW_JOB_HOLD : FALSE;
    if (self->state != MS_WINDOW_ENGINE_FAILED && !self->is_open &&
        (needs_device || ms_window_engine_opens_early(self))) {
      ms_window_engine_open(self);
      continue;
    }
    if (!next)
      return;
    MsWindowJob *job = g_queue_pop_head(&self->waiting);
    if (!complete_at_once(self, job))
      ms_window_engine_send(self, job);
  }
}

static gboolean
on_cancelled(GCancellable *cancellable, gpointer data)
{
  MsWindowJob *job = data;
  MsWindowEngine *self = g_task_get_source_object(job->task);

  if (job == self->running) {
    if (self->driver)
      ms_service_request(self->driver, self->number, MS_REQUEST_CANCEL, g_variant_new("()"), NULL);
  } else if (g_queue_remove(&self->waiting, job)) {
    ms_window_job_fail_cancelled(job);
  }
  return G_SOURCE_REMOVE;
}

/** ms_window_engine_push: @job: (transfer full): queues it behind the ones of its kind. */
void
ms_window_engine_push(MsWindowEngine *self, MsWindowJob *job)
{
  GCancellable *cancellable = ms_window_job_get_cancellable(job);

  job->serial = ++self->serial;
  if (self->is_closed) {
    ms_window_job_fail_cancelled(job);
    return;
  }
  if (cancellable) {
    job->cancelled = g_cancellable_source_new(cancellable);
    g_source_set_callback(job->cancelled, G_SOURCE_FUNC(on_cancelled), job, NULL);
    g_source_attach(job->cancelled, NULL);
  }
  g_queue_insert_sorted(&self->waiting, job, ms_window_job_compare, NULL);
  ms_window_engine_send_next(self);
}

/** ms_window_engine_call_async: sends a request between two filter requests. */
void
ms_window_engine_call_async(MsWindowEngine *self, const MsWindowEngineCall *call, GCancellable *cancellable,
                            GAsyncReadyCallback callback, gpointer user_data)
{
  g_autoptr(GTask) task = g_task_new(self, cancellable, callback, user_data);
  MsWindowJob *job = ms_window_job_new(MS_WINDOW_JOB_CALL, task);

  job->call = *call;
  g_variant_ref_sink(job->call.content);
  ms_window_engine_push(self, job);
}

/** ms_window_engine_call_finish: (transfer full): the answer, or %NULL with @error set. */
MsAnswer *
ms_window_engine_call_finish(MsWindowEngine *self, GAsyncResult *result, GError **error)
{
  return g_task_propagate_pointer(G_TASK(result), error);
}

/** ms_window_engine_refuse_answer: for a caller that found that an answer makes no sense: ends the process. */
void
ms_window_engine_refuse_answer(MsWindowEngine *self, GError **error)
{
  ms_set_error(error, MS_ERROR_DEVICE, "The driver of %s wrote what makes no sense.",
               ms_window_engine_name_device(self));
  if (self->driver)
    ms_driver_stop(self->driver, MS_CHILD_END_BROKEN);
}

/* The object */

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
  g_clear_pointer(&self->device, ms_device_unref);
  g_clear_pointer(&self->devices, g_ptr_array_unref);
  g_free(self->explanation);
  g_free(self->death);
  g_free(self->death_detail);
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
  g_signal_new("changed", MS_TYPE_WINDOW_ENGINE, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  g_signal_new("holders-changed", MS_TYPE_WINDOW_ENGINE, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  g_signal_new("recovered", MS_TYPE_WINDOW_ENGINE, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1,
               G_TYPE_ERROR);
}

static void
ms_window_engine_init(MsWindowEngine *self)
{
  self->driver = ms_window_engine_new_driver(self);
  self->rates = ms_rates_new();
  self->device_selector = g_strdup("auto");
  self->devices = g_ptr_array_new_with_free_func((GDestroyNotify)ms_device_unref);
  self->holders = g_ptr_array_new_with_free_func(g_object_unref);
  self->state = MS_WINDOW_ENGINE_OPENING;
  self->watchdog_ms = DEFAULT_WATCHDOG_MS;
  g_queue_init(&self->waiting);
  g_queue_init(&self->shared);
}

/** ms_window_engine_new: (transfer full): an engine without a process; ms_window_engine_choose() gives it a device. */
MsWindowEngine *
ms_window_engine_new(void)
{
  return g_object_new(MS_TYPE_WINDOW_ENGINE, NULL);
}

/**
 * ms_window_engine_choose:
 * @device_selector: as ms_device_choose() takes it, or #MS_ENGINE_REFERENCE
 *
 * Opens another device once the running request has ended; then "changed" is emitted.
 */
void
ms_window_engine_choose(MsWindowEngine *self, const char *device_selector)
{
  g_autofree char *previous = self->device_selector; /* which @device_selector may be */

  self->device_selector = g_strdup(device_selector);
  self->openings++;
  self->is_open = FALSE;
  self->deaths = 0;
  if (self->driver)
    ms_driver_forgive(self->driver);
  self->state = MS_WINDOW_ENGINE_OPENING;
  g_clear_error(&self->problem);
  g_clear_pointer(&self->device, ms_device_unref);
  g_clear_pointer(&self->explanation, g_free);
  g_clear_pointer(&self->death, g_free);
  g_signal_emit_by_name(self, "changed");
  ms_window_engine_send_next(self);
}

static void
free_weak_ref(gpointer data)
{
  g_weak_ref_clear(data);
  g_free(data);
}

/** ms_window_engine_shut_down: ends the process; waiting requests are cancelled. */
void
ms_window_engine_shut_down(MsWindowEngine *self)
{
  MsWindowJob *job = ms_window_engine_take_running(self);

  self->is_closed = TRUE;
  if (self->driver)
    ms_driver_close(g_steal_pointer(&self->driver), CLOSE_S);
  if (job)
    ms_window_job_fail_cancelled(job);
  while ((job = g_queue_pop_head(&self->waiting)))
    ms_window_job_fail_cancelled(job);
  g_queue_clear_full(&self->shared, free_weak_ref);
}

/**
 * ms_window_engine_set_watchdog: how long the device may report no progress before it counts as hung; 0 for no limit.
 * It applies to the request that runs as well.
 */
void
ms_window_engine_set_watchdog(MsWindowEngine *self, guint milliseconds)
{
  self->watchdog_ms = milliseconds;
  if (self->running && self->driver)
    ms_window_engine_watch(self, self->running);
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

/** ms_window_engine_get_pid: the process that has the device, 0 for none. */
GPid
ms_window_engine_get_pid(MsWindowEngine *self)
{
  return self->driver ? ms_driver_get_pid(self->driver) : 0;
}
