/* SPDX-License-Identifier: MIT */
#include "ui/engine/window-engine-filter.h"

#include "ui/engine/window-engine-private.h"

/* The shortest time between two reports of progress. */
#define PROGRESS_US (40 * 1000)

/* The callbacks of a filter request. */
typedef struct {
  MsJob *job;
  MsFilterEvents events;
  GCancellable *cancellable;
  gpointer user_data;
  gint64 last_progress_us;
} FilterCall;

/* A message on its way to the main loop. */
typedef struct {
  MsJob *job;
  MsImage *piece;
  MsRegion region;
  double done;
} Message;

static void
message_free(gpointer data)
{
  Message *message = data;

  ms_job_unref(message->job);
  g_clear_object(&message->piece);
  g_free(message);
}

static gboolean
deliver(gpointer data)
{
  Message *message = data;
  FilterCall *call = message->job->data;

  if (g_cancellable_is_cancelled(call->cancellable))
    return G_SOURCE_REMOVE;
  if (message->piece)
    call->events.piece(message->piece, &message->region, call->user_data);
  else
    call->events.progress(message->done, call->user_data);
  return G_SOURCE_REMOVE;
}

static void
post(FilterCall *call, MsImage *piece, const MsRegion *region, double done)
{
  Message *message = g_new0(Message, 1);

  message->job = ms_job_ref(call->job);
  message->piece = piece ? g_object_ref(piece) : NULL;
  if (region)
    message->region = *region;
  message->done = done;
  /* The priority of the task's own callback, so that nothing arrives after it. */
  g_autoptr(GSource) source = g_idle_source_new();
  g_source_set_priority(source, G_PRIORITY_DEFAULT);
  g_source_set_callback(source, deliver, message, message_free);
  g_source_attach(source, g_task_get_context(call->job->task));
}

static void
post_piece(MsImage *piece, const MsRegion *region, gpointer data)
{
  post(data, piece, region, 0);
}

static void
post_progress(double done, gpointer data)
{
  FilterCall *call = data;
  gint64 now = g_get_monotonic_time();

  ms_worker_beat(call->job->worker);
  if (now - call->last_progress_us < PROGRESS_US)
    return;
  call->last_progress_us = now;
  post(call, NULL, NULL, done);
}

static void
filter_call_free(gpointer data)
{
  FilterCall *call = data;

  g_clear_object(&call->cancellable);
  g_free(call);
}

static MsJob *
filter_job(MsWindowEngine *self, GTask *task, MsImage *source, const MsSettings *settings, GCancellable *cancellable)
{
  MsJob *job = ms_job_new(MS_JOB_FILTER, task);
  FilterCall *call = g_new0(FilterCall, 1);

  call->job = job;
  call->cancellable = cancellable ? g_object_ref(cancellable) : NULL;
  job->data = call;
  job->free_data = filter_call_free;
  job->filter = (MsFilterJob){.source = g_object_ref(source),
                              .settings = *settings,
                              .cancellable = cancellable ? g_object_ref(cancellable) : NULL,
                              .piece = post_piece,
                              .progress = post_progress,
                              .data = call};
  return job;
}

/**
 * ms_window_engine_filter_async:
 * @cancellable: (nullable): checked between bands
 * @user_data: for @callback and for the events of @request
 */
void
ms_window_engine_filter_async(MsWindowEngine *self, const MsWindowEngineRequest *request, GCancellable *cancellable,
                              GAsyncReadyCallback callback, gpointer user_data)
{
  g_autoptr(GTask) task = g_task_new(self, cancellable, callback, user_data);
  MsJob *job = filter_job(self, task, request->source, request->settings, cancellable);
  FilterCall *call = job->data;

  /* A run that was completed just before its cancellation is returned. */
  g_task_set_check_cancellable(task, FALSE);
  call->events = *request->events;
  call->user_data = user_data;
  if (request->visible)
    job->filter.visible = *request->visible;
  ms_worker_push(self->worker, job);
}

/** ms_window_engine_filter_finish: (transfer full): the run, whose time is kept, or %NULL with @error set. */
MsRun *
ms_window_engine_filter_finish(MsWindowEngine *self, GAsyncResult *result, GError **error)
{
  MsRun *run = ms_window_engine_call_finish(self, result, error);

  if (run)
    ms_rates_add_run(self->rates, run);
  return run;
}
