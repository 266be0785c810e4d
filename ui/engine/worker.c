/* SPDX-License-Identifier: MIT */
#include "ui/engine/worker.h"

#include <string.h>

#include "core/engine/device-engine.h"
#include "core/engine/reference-engine.h"
#include "core/error.h"
#include "core/opencl/device-chooser.h"
#include "core/opencl/driver-cache.h"
#include "core/opencl/probe.h"
#include "ui/engine/window-engine.h"

struct _MsWorker {
  gatomicrefcount references;
  GAsyncQueue *jobs;
  guint next_serial;
  guint watchdog_ms;

  /* Shared with the main thread under @lock. */
  GMutex lock;
  GCond ended_cond;
  GCond released_cond;
  MsJob *running;
  gint64 beat_us;
  gboolean abandoned;
  gboolean held;
  gboolean ended;

  /* Only the worker's thread uses these. */
  MsEngine *engine; /* (nullable): while a device is open, or for the serial reference */
  GError *problem;
};

void
ms_opened_free(MsOpened *self)
{
  g_clear_object(&self->device);
  g_clear_pointer(&self->devices, g_ptr_array_unref);
  g_free(self->explanation);
  g_free(self);
}

static void
worker_free(MsWorker *self)
{
  g_async_queue_unref(self->jobs);
  g_clear_object(&self->engine);
  g_clear_error(&self->problem);
  g_mutex_clear(&self->lock);
  g_cond_clear(&self->ended_cond);
  g_cond_clear(&self->released_cond);
  g_free(self);
}

void
ms_worker_unref(MsWorker *self)
{
  if (g_atomic_ref_count_dec(&self->references))
    worker_free(self);
}

static MsContext *
context_of(MsWorker *self)
{
  return self->engine ? ms_engine_get_context(self->engine) : NULL;
}

static void
close_device(MsWorker *self)
{
  g_clear_object(&self->engine);
  g_clear_error(&self->problem);
}

/* Releasing the handles of a hung device may block forever, so they are leaked. */
static void
lose_device(MsWorker *self, const GError *reason)
{
  self->engine = NULL;
  g_clear_error(&self->problem);
  self->problem = g_error_copy(reason);
}

/* (transfer full) (nullable): what the user should know about the driver and the devices that were tried. */
static char *
explain(GStrv rejected)
{
  const char *driver = ms_driver_cache_prepare();
  g_autofree char *devices = rejected && rejected[0] ? g_strjoinv("\n", rejected) : NULL;

  if (driver && devices)
    return g_strjoin("\n", driver, devices, NULL);
  return driver ? g_strdup(driver) : g_steal_pointer(&devices);
}

static MsOpened *
open_device(MsWorker *self, const char *device_selector, GError **error)
{
  g_autoptr(MsOpened) opened = g_new0(MsOpened, 1);
  g_autoptr(GError) none = NULL;
  g_autoptr(MsContext) context = NULL;
  g_auto(GStrv) rejected = NULL;

  close_device(self);
  opened->devices = ms_device_enumerate(&none);
  if (strcmp(device_selector, MS_ENGINE_REFERENCE) == 0) {
    self->engine = ms_reference_engine_new();
    return g_steal_pointer(&opened);
  }
  if (opened->devices)
    context = ms_device_choose_among(opened->devices, device_selector, &rejected, &self->problem);
  else
    self->problem = g_steal_pointer(&none);
  if (!context) {
    g_propagate_error(error, g_error_copy(self->problem));
    return NULL;
  }
  self->engine = ms_device_engine_new(context, MS_FALLBACK_FAIL, NULL, NULL);
  opened->device = g_object_ref(ms_context_get_device(context));
  opened->explanation = explain(rejected);
  return g_steal_pointer(&opened);
}

/* A failed call may mean that the device is lost; a trivial kernel shows whether it is. */
static void
check_device(MsWorker *self, const GError *failure)
{
  g_autoptr(GError) reason = NULL;

  if (!context_of(self))
    return;
  if (g_error_matches(failure, MS_ERROR, MS_ERROR_TIMEOUT)) {
    lose_device(self, failure);
    return;
  }
  if (!g_error_matches(failure, MS_ERROR, MS_ERROR_DEVICE) || ms_context_probe(context_of(self), &reason))
    return;
  lose_device(self, reason);
}

static void
run_open(MsWorker *self, MsJob *job)
{
  g_autoptr(GError) error = NULL;
  MsOpened *opened = open_device(self, job->device_selector, &error);

  if (!ms_job_claim(job))
    g_clear_pointer(&opened, ms_opened_free);
  else if (opened)
    g_task_return_pointer(job->task, opened, (GDestroyNotify)ms_opened_free);
  else
    g_task_return_error(job->task, g_steal_pointer(&error));
}

static void
answer(MsWorker *self, MsJob *job, gpointer result, GDestroyNotify free_result, GError *error)
{
  if (error)
    check_device(self, error);
  if (!ms_job_claim(job)) {
    if (result && free_result)
      free_result(result);
    g_clear_error(&error);
  } else if (error) {
    g_task_return_error(job->task, error);
  } else {
    g_task_return_pointer(job->task, result, free_result);
  }
}

static void
run_filter(MsWorker *self, MsJob *job)
{
  GError *error = NULL;
  MsRun *run = NULL;

  job->filter.engine = self->engine;
  if (!g_cancellable_set_error_if_cancelled(job->filter.cancellable, &error))
    run = ms_filter_job_run(&job->filter, &error);
  answer(self, job, run, g_object_unref, error);
}

static void
run_call(MsWorker *self, MsJob *job)
{
  GError *error = NULL;
  gpointer result = NULL;

  if (!g_cancellable_set_error_if_cancelled(g_task_get_cancellable(job->task), &error))
    result = job->func(context_of(self), g_task_get_cancellable(job->task), job->data, &error);
  answer(self, job, result, job->free_result, error);
}

static GError *
no_engine(const MsWorker *self)
{
  GError *error = NULL;

  if (self->problem)
    return g_error_copy(self->problem);
  ms_set_error_literal(&error, MS_ERROR_NO_DEVICE, "No device has been chosen yet.");
  return error;
}

/* The thread waits with no running job, so that the watchdog does not regard it as hung. */
static void
run_hold(MsWorker *self, MsJob *job)
{
  GError *error = NULL;

  if (g_cancellable_set_error_if_cancelled(g_task_get_cancellable(job->task), &error)) {
    answer(self, job, NULL, NULL, error);
    return;
  }
  if (!ms_job_claim(job))
    return;
  g_mutex_lock(&self->lock);
  self->running = NULL;
  self->held = TRUE;
  g_mutex_unlock(&self->lock);
  g_task_return_boolean(job->task, TRUE);
  g_mutex_lock(&self->lock);
  while (self->held)
    g_cond_wait(&self->released_cond, &self->lock);
  g_mutex_unlock(&self->lock);
}

static void
run_job(MsWorker *self, MsJob *job)
{
  job->worker = self;
  if (job->kind == MS_JOB_HOLD) {
    run_hold(self, job);
    return;
  }
  if (job->kind == MS_JOB_OPEN)
    run_open(self, job);
  else if (!self->engine)
    answer(self, job, NULL, NULL, no_engine(self));
  else if (job->kind == MS_JOB_FILTER)
    run_filter(self, job);
  else
    run_call(self, job);
}

/* Records the running job, so that the main thread can detect a hang; %FALSE when it has abandoned this thread. */
static gboolean
set_running(MsWorker *self, MsJob *job)
{
  gboolean abandoned;

  g_mutex_lock(&self->lock);
  self->running = job;
  self->beat_us = g_get_monotonic_time();
  abandoned = self->abandoned;
  g_mutex_unlock(&self->lock);
  return !abandoned;
}

static void
report_ended(MsWorker *self)
{
  g_mutex_lock(&self->lock);
  self->ended = TRUE;
  g_cond_signal(&self->ended_cond);
  g_mutex_unlock(&self->lock);
}

static gpointer
worker_thread(gpointer data)
{
  MsWorker *self = data;
  gboolean wanted = TRUE;

  while (wanted) {
    g_autoptr(MsJob) job = g_async_queue_pop(self->jobs);
    if (job->kind == MS_JOB_QUIT)
      break;
    set_running(self, job);
    run_job(self, job);
    wanted = set_running(self, NULL);
  }
  if (wanted)
    close_device(self);
  report_ended(self);
  ms_worker_unref(self);
  return NULL;
}

/** ms_worker_new: a started thread without a device. */
MsWorker *
ms_worker_new(void)
{
  MsWorker *self = g_new0(MsWorker, 1);

  g_atomic_ref_count_init(&self->references);
  g_atomic_ref_count_inc(&self->references);
  g_mutex_init(&self->lock);
  g_cond_init(&self->ended_cond);
  self->jobs = g_async_queue_new_full((GDestroyNotify)ms_job_unref);
  g_thread_unref(g_thread_new("ms-worker", worker_thread, self));
  return self;
}

static int
compare_jobs(gconstpointer a, gconstpointer b, gpointer unused)
{
  const MsJob *p = a, *q = b;

  return p->kind != q->kind ? (int)p->kind - (int)q->kind : (p->serial > q->serial) - (p->serial < q->serial);
}

/** ms_worker_push: (transfer full): queues @job behind the ones of its kind. */
void
ms_worker_push(MsWorker *self, MsJob *job)
{
  job->serial = self->next_serial++;
  g_async_queue_push_sorted(self->jobs, job, compare_jobs, NULL);
}

/** ms_worker_release: ends a hold whose task was completed. */
void
ms_worker_release(MsWorker *self)
{
  g_mutex_lock(&self->lock);
  self->held = FALSE;
  g_cond_signal(&self->released_cond);
  g_mutex_unlock(&self->lock);
}

/** ms_worker_set_watchdog: the longest wait for a device that is opened from now on; 0 for no limit. */
void
ms_worker_set_watchdog(MsWorker *self, guint milliseconds)
{
  self->watchdog_ms = milliseconds;
}

/** ms_worker_beat: shows the main thread that the running job makes progress; called by the job itself. */
void
ms_worker_beat(MsWorker *self)
{
  g_mutex_lock(&self->lock);
  self->beat_us = g_get_monotonic_time();
  g_mutex_unlock(&self->lock);
}

/**
 * ms_worker_abandon_if_silent:
 * @silent_us: how long a job may report no progress
 *
 * Returns: (transfer full) (nullable): the job that hangs; its thread is abandoned and ends if the job ever returns
 */
MsJob *
ms_worker_abandon_if_silent(MsWorker *self, gint64 silent_us)
{
  MsJob *job = NULL;

  g_mutex_lock(&self->lock);
  if (self->running && g_get_monotonic_time() - self->beat_us > silent_us) {
    self->abandoned = TRUE;
    job = ms_job_ref(self->running);
  }
  g_mutex_unlock(&self->lock);
  return job;
}

/** ms_worker_take_waiting: (transfer full) (nullable): a job that has not started, for a replacement worker. */
MsJob *
ms_worker_take_waiting(MsWorker *self)
{
  return g_async_queue_try_pop(self->jobs);
}

/** ms_worker_quit: ends the thread after the running job; %FALSE when it did not end in time and was abandoned. */
gboolean
ms_worker_quit(MsWorker *self, gint64 patience_us)
{
  gint64 deadline = g_get_monotonic_time() + patience_us;
  gboolean ended;

  ms_worker_push(self, ms_job_new(MS_JOB_QUIT, NULL));
  ms_worker_release(self);
  g_mutex_lock(&self->lock);
  while (!self->ended && g_cond_wait_until(&self->ended_cond, &self->lock, deadline))
    ;
  ended = self->ended;
  g_mutex_unlock(&self->lock);
  return ended;
}
