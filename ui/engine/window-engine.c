/* SPDX-License-Identifier: MIT */
#include "ui/engine/window-engine-private.h"

#include <glib/gi18n-lib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/opencl/driver-cache.h"

#define DEFAULT_WATCHDOG_MS 30000

/* How often the silence of the process is looked at while a request runs. */
#define SILENCE_CHECK_MS 100

/* How long a request that a user has cancelled may go on before its process is killed. */
#define CANCEL_MS 1500

/* How long the process may take to end by itself when the window is closed. */
#define CLOSE_S 1.5

/* A process that dies without a request is started again at once so many times, then for the next request. */
#define MOST_IDLE_DEATHS 3

G_DEFINE_FINAL_TYPE(MsWindowEngine, ms_window_engine, G_TYPE_OBJECT)

enum {
  SIGNAL_CHANGED,
  SIGNAL_HOLDERS_CHANGED,
  SIGNAL_RECOVERED,
  N_SIGNALS,
};

static guint signals[N_SIGNALS];

/* Jobs */

/** ms_job_new: (transfer full): a job that completes @task (transfer none) (nullable). */
MsJob *
ms_job_new(MsJobKind kind, GTask *task)
{
  MsJob *self = g_new0(MsJob, 1);

  self->kind = kind;
  self->task = task ? g_object_ref(task) : NULL;
  return self;
}

static void
job_free(MsJob *self)
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

static GCancellable *
cancellable_of(const MsJob *job)
{
  return job->task ? g_task_get_cancellable(job->task) : NULL;
}

/** ms_job_fail: frees a job, whose task returns @error (transfer full). */
void
ms_job_fail(MsJob *job, GError *error)
{
  if (job->task)
    g_task_return_error(job->task, error);
  else
    g_error_free(error);
  job_free(job);
}

static void
fail_cancelled(MsJob *job)
{
  ms_job_fail(job, g_error_new_literal(G_IO_ERROR, G_IO_ERROR_CANCELLED, _("The request was cancelled.")));
}

void
ms_answer_free(MsAnswer *self)
{
  g_variant_unref(self->content);
  if (self->fd >= 0)
    close(self->fd);
  g_free(self);
}

static int
compare_jobs(gconstpointer a, gconstpointer b, gpointer unused)
{
  const MsJob *p = a, *q = b;

  return p->kind != q->kind ? (int)p->kind - (int)q->kind : (p->serial > q->serial) - (p->serial < q->serial);
}

/* The state */

static void
emit_changed(MsWindowEngine *self)
{
  g_signal_emit(self, signals[SIGNAL_CHANGED], 0);
}

static const char *
device_name(MsWindowEngine *self)
{
  return self->device ? ms_device_get_title(self->device) : self->device_selector;
}

/* No request runs until another device is chosen. */
static void
fail(MsWindowEngine *self, const GError *problem)
{
  self->state = MS_WINDOW_ENGINE_FAILED;
  g_clear_error(&self->problem);
  self->problem = g_error_copy(problem);
  g_clear_pointer(&self->death, g_free);
  emit_changed(self);
}

/* (transfer full) (nullable): the devices of an answer. */
static GPtrArray *
read_devices(GVariant *snapshots)
{
  g_autoptr(GPtrArray) devices = g_ptr_array_new_with_free_func(g_object_unref);

  for (gsize i = 0; i < g_variant_n_children(snapshots); i++) {
    g_autoptr(GVariant) snapshot = g_variant_get_child_value(snapshots, i);
    MsDevice *device = ms_device_new_from_snapshot(snapshot);
    if (!device)
      return NULL;
    g_ptr_array_add(devices, device);
  }
  return g_steal_pointer(&devices);
}

/* Where the usual cache of the driver is passed over, its folder is named. */
static char *
describe_spare(MsWindowEngine *self)
{
  g_autofree char *folder = self->spare_cache ? ms_driver_cache_find() : NULL;

  return folder ? g_strdup_printf(_("An empty cache of compiled kernels is used; delete the folder '%s', which may be "
                                    "damaged."),
                                  folder)
                : NULL;
}

static void
report_recovery(MsWindowEngine *self)
{
  g_autofree char *death = g_steal_pointer(&self->death);
  g_autofree char *spare = describe_spare(self);

  if (!death)
    return;
  g_autoptr(GError) report =
    g_error_new(MS_ERROR, MS_ERROR_DEVICE, _("%s The picture was kept; the device was opened again.%s%s\n%s"), death,
                spare ? " " : "", spare ? spare : "", self->death_detail);
  g_signal_emit(self, signals[SIGNAL_RECOVERED], 0, report);
}

/* A device that is opened again stays the same object, so that its runs can still be repeated. */
static gboolean
take_opened(MsWindowEngine *self, GVariant *content)
{
  g_autoptr(GVariant) snapshots = NULL;
  g_autofree char *explanation = NULL;
  int index;

  g_variant_get(content, "(@a" MS_DEVICE_SNAPSHOT "ims)", &snapshots, &index, &explanation);
  g_autoptr(GPtrArray) devices = read_devices(snapshots);
  if (!devices || index < -1 || index >= (int)devices->len || (index < 0) != ms_window_engine_is_reference(self))
    return FALSE;
  MsDevice *device = index >= 0 ? devices->pdata[index] : NULL;
  if (device && !ms_device_is_sane(device))
    return FALSE;
  self->is_open = TRUE;
  self->vain_starts = 0;
  if (self->state == MS_WINDOW_ENGINE_READY && (!device || (self->device && ms_device_equal(device, self->device)))) {
    report_recovery(self);
    return TRUE;
  }
  self->state = MS_WINDOW_ENGINE_READY;
  g_set_object(&self->device, device);
  g_ptr_array_unref(self->devices);
  self->devices = g_steal_pointer(&devices);
  g_free(self->explanation);
  self->explanation = g_steal_pointer(&explanation);
  emit_changed(self);
  report_recovery(self);
  return TRUE;
}

/* What the process sends */

static GError *
read_failure(GVariant *content, gboolean *is_lost)
{
  const char *translated, *english;
  gboolean is_cancelled;
  GError *error = NULL;
  guint code;

  g_variant_get(content, "(bu&s&sb)", &is_cancelled, &code, &translated, &english, is_lost);
  if (is_cancelled)
    return g_error_new_literal(G_IO_ERROR, G_IO_ERROR_CANCELLED, translated);
  ms_error_take(&error, code <= MS_ERROR_MISMATCH ? (MsError)code : MS_ERROR_DEVICE, g_strdup(translated),
                g_strdup(english));
  return error;
}

/* Takes the running job out; nothing runs then. */
static MsJob *
take_running(MsWindowEngine *self)
{
  g_clear_handle_id(&self->silence_timer, g_source_remove);
  g_clear_handle_id(&self->cancel_timer, g_source_remove);
  return g_steal_pointer(&self->running);
}

static void
take_failure(MsWindowEngine *self, GVariant *content)
{
  MsJob *job = take_running(self);
  gboolean is_lost;
  GError *error = read_failure(content, &is_lost);

  if (job->kind == MS_JOB_OPEN && self->opening == self->openings)
    fail(self, error);
  if (is_lost)
    ms_device_child_stop(self->child, MS_CHILD_END_FINISHED);
  ms_job_fail(job, error);
}

static gboolean
take_answer(MsWindowEngine *self, MsMessage *message, GVariant *content)
{
  MsJob *job = self->running;

  if (message->kind != job->call.answer)
    return FALSE;
  if (job->kind == MS_JOB_OPEN) {
    if (self->opening == self->openings && !take_opened(self, content))
      return FALSE;
    job_free(take_running(self));
    return TRUE;
  }
  MsAnswer *answer = g_new(MsAnswer, 1);
  *answer = (MsAnswer){g_variant_ref(content), message->fds[0]};
  message->fds[0] = -1;
  gpointer result = job->complete ? job->complete(job, answer) : answer;
  if (!result)
    return FALSE;
  self->deaths = 0;
  job = take_running(self);
  g_task_return_pointer(job->task, result, job->complete ? job->free_result : (GDestroyNotify)ms_answer_free);
  job_free(job);
  return TRUE;
}

static gboolean
take_message(MsWindowEngine *self, MsMessage *message)
{
  g_autoptr(GVariant) content = g_variant_get_child_value(message->payload, 1);
  MsJob *job = self->running;
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
  return !job->report || g_cancellable_is_cancelled(cancellable_of(job)) || job->report(job, message->kind, content);
}

static void
on_message(MsMessage *message, gpointer data)
{
  g_autoptr(MsWindowEngine) self = g_object_ref(data);

  if (!take_message(self, message) && self->child)
    ms_device_child_stop(self->child, MS_CHILD_END_BROKEN);
  ms_window_engine_send_next(self);
}

/* How the process ends */

/* (transfer full): a sentence for the bar of the window. */
static char *
describe_death(MsWindowEngine *self, MsChildEnd end)
{
  const char *name = device_name(self);
  const int status = ms_child_get_status(ms_device_child_get(self->child));

  switch (end) {
  case MS_CHILD_END_SILENT:
  case MS_CHILD_END_LATE:
  case MS_CHILD_END_OVERDUE:
    return g_strdup_printf(_("The device %s has not answered for %g s."), name, self->watchdog_ms / 1000.0);
  case MS_CHILD_END_CANCELLED:
    return g_strdup_printf(_("The device %s did not stop when it was asked to."), name);
  case MS_CHILD_END_FINISHED:
    return g_strdup_printf(_("The device %s was lost."), name);
  case MS_CHILD_END_FLOODED:
  case MS_CHILD_END_BROKEN:
  case MS_CHILD_END_TOO_LARGE:
    return g_strdup_printf(_("The driver of %s wrote what makes no sense."), name);
  case MS_CHILD_END_DIED:
    break;
  }
  if (WIFSIGNALED(status))
    return g_strdup_printf(_("The driver of %s ended unexpectedly (signal %d)."), name, WTERMSIG(status));
  return g_strdup_printf(_("The driver of %s ended unexpectedly (status %d)."), name, WEXITSTATUS(status));
}

/* A cache that cannot be loaded makes a driver crash before anything was computed. */
static gboolean
may_be_damaged_cache(MsWindowEngine *self, const MsJob *job, MsChildEnd end)
{
  const int status = ms_child_get_status(ms_device_child_get(self->child));

  if (!job || job->has_reported || end != MS_CHILD_END_DIED)
    return FALSE;
  return !WIFSIGNALED(status) || (WTERMSIG(status) != SIGKILL && WTERMSIG(status) != SIGTERM);
}

static void
change_cache(MsWindowEngine *self, gboolean to_spare)
{
  ms_driver_cache_remove_spare(self->spare_cache);
  g_clear_pointer(&self->spare_cache, g_free);
  if (to_spare)
    self->spare_cache = ms_driver_cache_make_spare();
}

static GError *
death_error(MsWindowEngine *self, const char *advice)
{
  return g_error_new(MS_ERROR, MS_ERROR_DEVICE, "%s %s\n%s", self->death, advice, self->death_detail);
}

/* The request is tried once more, unless it was cancelled. */
static void
try_again(MsWindowEngine *self, MsJob *job)
{
  if (g_cancellable_is_cancelled(cancellable_of(job))) {
    fail_cancelled(job);
    return;
  }
  if (!job->is_retried) {
    job->is_retried = TRUE;
    g_queue_insert_sorted(&self->waiting, job, compare_jobs, NULL);
    return;
  }
  GError *error = death_error(self, _("It did so twice; change the settings or choose another device."));
  /* The error says it all, unless another request opens the device again. */
  if (g_queue_is_empty(&self->waiting))
    g_clear_pointer(&self->death, g_free);
  ms_job_fail(job, error);
}

static void
on_ended(MsChildEnd end, gpointer data)
{
  g_autoptr(MsWindowEngine) self = g_object_ref(data);
  MsJob *job = take_running(self);
  const gboolean is_damaged = may_be_damaged_cache(self, job, end);

  g_free(self->death);
  g_free(self->death_detail);
  self->death = describe_death(self, end);
  self->death_detail = ms_child_describe_end(ms_device_child_get(self->child), end,
                                             &(MsChildWatch){.silence_s = self->watchdog_ms / 1000.0});
  ms_device_child_close(g_steal_pointer(&self->child), 0);
  self->is_open = FALSE;
  self->deaths++;
  self->has_died = TRUE;
  change_cache(self, is_damaged);
  if (job && job->kind == MS_JOB_OPEN) {
    job_free(job);
    self->vain_starts++;
  } else if (job) {
    try_again(self, job);
  }
  if (self->vain_starts >= MS_CHILD_MOST_VAIN_STARTS) {
    g_autoptr(GError) problem = death_error(self, _("It could not be opened; choose another device."));
    self->vain_starts = 0;
    fail(self, problem);
  }
  ms_window_engine_send_next(self);
}

/* What is sent to the process */

static gboolean
on_silence_check(gpointer data)
{
  MsWindowEngine *self = data;
  const gint64 silence_us = g_get_monotonic_time() - ms_device_child_get_heard(self->child);

  if (silence_us > (gint64)self->watchdog_ms * 1000)
    ms_device_child_stop(self->child, MS_CHILD_END_SILENT);
  return G_SOURCE_CONTINUE;
}

/* A driver may hang while the serial reference is opened, since all devices are listed, but not later. */
static gboolean
is_watched(MsWindowEngine *self, const MsJob *job)
{
  return self->watchdog_ms > 0 && (job->kind == MS_JOB_OPEN || !ms_window_engine_is_reference(self));
}

static void
send(MsWindowEngine *self, MsJob *job)
{
  int fds[MS_CHANNEL_MOST_FDS];

  for (guint i = 0; i < MS_CHANNEL_MOST_FDS; i++)
    fds[i] = job->call.pixels[i] ? ms_shared_pixels_get_fd(job->call.pixels[i]) : -1;
  self->running = job;
  self->number++;
  job->has_reported = FALSE;
  if (is_watched(self, job))
    self->silence_timer = g_timeout_add(SILENCE_CHECK_MS, on_silence_check, self);
  ms_device_child_send(self->child, self->number, job->call.kind, job->call.content, fds);
}

/* Starts the process if there is none, and has it open the device; %FALSE if it cannot be started. */
static gboolean
open_device(MsWindowEngine *self)
{
  static const MsDeviceChildEvents events = {on_message, on_ended};
  g_autoptr(GError) error = NULL;

  if (!self->child)
    self->child = ms_device_child_start(self->spare_cache, self->has_died, &events, self, &error);
  if (!self->child) {
    fail(self, error);
    return FALSE;
  }
  MsJob *job = ms_job_new(MS_JOB_OPEN, NULL);
  job->call = (MsWindowEngineCall){.kind = MS_REQUEST_OPEN, .answer = MS_ANSWER_OPENED};
  job->call.content = g_variant_ref_sink(g_variant_new("(s)", self->device_selector));
  self->opening = self->openings;
  send(self, job);
  return TRUE;
}

/* Completes a job that takes no request; whether it did. */
static gboolean
complete_at_once(MsWindowEngine *self, MsJob *job)
{
  if (g_cancellable_is_cancelled(cancellable_of(job))) {
    fail_cancelled(job);
    return TRUE;
  }
  if (job->kind == MS_JOB_HOLD) {
    self->is_held = TRUE;
    g_task_return_boolean(job->task, TRUE);
    job_free(job);
    return TRUE;
  }
  if (self->state != MS_WINDOW_ENGINE_FAILED)
    return FALSE;
  ms_job_fail(job, g_error_copy(self->problem));
  return TRUE;
}

/* Whether the device is to be opened now although nothing waits for it. */
static gboolean
opens_early(MsWindowEngine *self)
{
  return self->state == MS_WINDOW_ENGINE_OPENING || (self->death && self->deaths <= MOST_IDLE_DEATHS);
}

/** ms_window_engine_send_next: sends what is next, unless something runs. */
void
ms_window_engine_send_next(MsWindowEngine *self)
{
  while (!self->running && !self->is_held && !self->is_closed &&
         !(self->child && ms_device_child_is_over(self->child))) {
    const MsJob *next = g_queue_peek_head(&self->waiting);
    const gboolean needs_device = next ? next->kind != MS_JOB_HOLD : FALSE;
    if (self->state != MS_WINDOW_ENGINE_FAILED && !self->is_open && (needs_device || opens_early(self))) {
      open_device(self);
      continue;
    }
    if (!next)
      return;
    MsJob *job = g_queue_pop_head(&self->waiting);
    if (!complete_at_once(self, job))
      send(self, job);
  }
}

static gboolean
on_cancelled(GCancellable *cancellable, gpointer data)
{
  MsJob *job = data;
  MsWindowEngine *self = g_task_get_source_object(job->task);

  if (job == self->running) {
    if (self->child)
      ms_device_child_send(self->child, self->number, MS_REQUEST_CANCEL, g_variant_new("()"), NULL);
  } else if (g_queue_remove(&self->waiting, job)) {
    fail_cancelled(job);
  }
  return G_SOURCE_REMOVE;
}

/** ms_window_engine_push: @job: (transfer full): queues it behind the ones of its kind. */
void
ms_window_engine_push(MsWindowEngine *self, MsJob *job)
{
  GCancellable *cancellable = cancellable_of(job);

  job->serial = ++self->serial;
  if (self->is_closed) {
    fail_cancelled(job);
    return;
  }
  if (cancellable) {
    job->cancelled = g_cancellable_source_new(cancellable);
    g_source_set_callback(job->cancelled, G_SOURCE_FUNC(on_cancelled), job, NULL);
    g_source_attach(job->cancelled, NULL);
  }
  g_queue_insert_sorted(&self->waiting, job, compare_jobs, NULL);
  ms_window_engine_send_next(self);
}

/** ms_window_engine_call_async: sends a request between two filter requests. */
void
ms_window_engine_call_async(MsWindowEngine *self, const MsWindowEngineCall *call, GCancellable *cancellable,
                            GAsyncReadyCallback callback, gpointer user_data)
{
  g_autoptr(GTask) task = g_task_new(self, cancellable, callback, user_data);
  MsJob *job = ms_job_new(MS_JOB_CALL, task);

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
  ms_set_error(error, MS_ERROR_DEVICE, "The driver of %s wrote what makes no sense.", device_name(self));
  if (self->child)
    ms_device_child_stop(self->child, MS_CHILD_END_BROKEN);
}

static gboolean
on_cancel_late(gpointer data)
{
  MsWindowEngine *self = data;

  self->cancel_timer = 0;
  ms_device_child_stop(self->child, MS_CHILD_END_CANCELLED);
  return G_SOURCE_REMOVE;
}

/**
 * ms_window_engine_enforce_cancel:
 * @cancellable: (nullable): of a request that a user has cancelled
 *
 * Ends the process if it goes on with the request for two seconds. A request that is only replaced by a newer one gets
 * more time, because a compiler cannot be interrupted and its work would be lost.
 */
void
ms_window_engine_enforce_cancel(MsWindowEngine *self, GCancellable *cancellable)
{
  if (cancellable && self->running && self->child && cancellable_of(self->running) == cancellable &&
      self->cancel_timer == 0)
    self->cancel_timer = g_timeout_add(CANCEL_MS, on_cancel_late, self);
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
  g_clear_object(&self->device);
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
  signals[SIGNAL_CHANGED] =
    g_signal_new("changed", MS_TYPE_WINDOW_ENGINE, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[SIGNAL_HOLDERS_CHANGED] =
    g_signal_new("holders-changed", MS_TYPE_WINDOW_ENGINE, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[SIGNAL_RECOVERED] = g_signal_new("recovered", MS_TYPE_WINDOW_ENGINE, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                           G_TYPE_NONE, 1, G_TYPE_ERROR);
}

static void
ms_window_engine_init(MsWindowEngine *self)
{
  self->rates = ms_rates_new();
  self->device_selector = g_strdup("auto");
  self->devices = g_ptr_array_new_with_free_func(g_object_unref);
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
  self->vain_starts = self->deaths = 0;
  self->state = MS_WINDOW_ENGINE_OPENING;
  g_clear_error(&self->problem);
  g_clear_object(&self->device);
  g_clear_pointer(&self->explanation, g_free);
  g_clear_pointer(&self->death, g_free);
  emit_changed(self);
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
  MsJob *job = take_running(self);

  self->is_closed = TRUE;
  if (self->child)
    ms_device_child_close(g_steal_pointer(&self->child), CLOSE_S);
  change_cache(self, FALSE);
  if (job)
    fail_cancelled(job);
  while ((job = g_queue_pop_head(&self->waiting)))
    fail_cancelled(job);
  g_queue_clear_full(&self->shared, free_weak_ref);
}

/**
 * ms_window_engine_set_watchdog: how long the device may report no progress before it counts as hung; 0 for no limit.
 */
void
ms_window_engine_set_watchdog(MsWindowEngine *self, guint milliseconds)
{
  self->watchdog_ms = milliseconds;
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
  return self->child ? ms_child_get_pid(ms_device_child_get(self->child)) : 0;
}
