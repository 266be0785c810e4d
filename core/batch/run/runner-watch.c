/* SPDX-License-Identifier: MIT */
#include "core/batch/run/runner-watch.h"

/* The longest silence if --timeout is not given; compiling kernels and decoding large images report nothing. */
#define USUAL_SILENCE_MS 120000

/* On a slow device, the limit is this many times the longest silence so far. */
#define SILENCE_FACTOR 20

struct _MsRunnerWatch {
  const MsRunnerHooks *hooks;
  double timeout_s;
  GThread *thread;
  GMutex lock;
  GCond changed;
  GPtrArray *in_work; /* items on the device, the one that came first in front; NULL while it is opened */
  gint64 last_heard_us;
  gint64 longest_silence_ms;
  gboolean ended;
};

/**
 * ms_runner_watch_limit_ms:
 * @timeout_s: the limit that the user set, 0 for none
 * @longest_silence_ms: the longest time between two reports so far
 *
 * Returns: how long a device may report nothing before it counts as hung
 */
int
ms_runner_watch_limit_ms(double timeout_s, gint64 longest_silence_ms)
{
  if (timeout_s > 0)
    return (int)MIN(timeout_s * 1000, G_MAXINT);
  return (int)CLAMP(SILENCE_FACTOR * longest_silence_ms, USUAL_SILENCE_MS, G_MAXINT);
}

/* Called with the lock held, as the next two. */
static void
note_report(MsRunnerWatch *self)
{
  gint64 now = g_get_monotonic_time();

  if (self->in_work->len > 0)
    self->longest_silence_ms = MAX(self->longest_silence_ms, (now - self->last_heard_us) / 1000);
  self->last_heard_us = now;
}

static int
limit_ms(const MsRunnerWatch *self)
{
  return ms_runner_watch_limit_ms(self->timeout_s, self->longest_silence_ms);
}

/* Waits until something is in work, or until its silence may last too long; whether it did. */
static gboolean
wait_for_silence(MsRunnerWatch *self)
{
  gint64 deadline = self->last_heard_us + (gint64)limit_ms(self) * 1000;

  if (self->in_work->len == 0)
    g_cond_wait(&self->changed, &self->lock);
  else if (g_get_monotonic_time() >= deadline)
    return TRUE;
  else
    g_cond_wait_until(&self->changed, &self->lock, deadline);
  return FALSE;
}

static gpointer
watch(gpointer data)
{
  MsRunnerWatch *self = data;
  gboolean is_silent = FALSE;

  g_mutex_lock(&self->lock);
  while (!self->ended && !is_silent)
    is_silent = wait_for_silence(self);
  if (is_silent)
    self->hooks->silent(g_ptr_array_index(self->in_work, 0), limit_ms(self) / 1000.0, self->hooks->data);
  g_mutex_unlock(&self->lock);
  return NULL;
}

/** ms_runner_watch_new: (transfer full) (nullable): %NULL, which the other functions accept, without a hook @silent. */
MsRunnerWatch *
ms_runner_watch_new(const MsRunnerOptions *options, const MsRunnerHooks *hooks)
{
  if (!hooks->silent)
    return NULL;
  MsRunnerWatch *self = g_new0(MsRunnerWatch, 1);
  self->hooks = hooks;
  self->timeout_s = options->timeout_s;
  self->in_work = g_ptr_array_new();
  g_mutex_init(&self->lock);
  g_cond_init(&self->changed);
  self->thread = g_thread_new("ms-watch", watch, self);
  return self;
}

/** ms_runner_watch_free: returns after a call of the hook that has begun. */
void
ms_runner_watch_free(MsRunnerWatch *self)
{
  if (!self)
    return;
  g_mutex_lock(&self->lock);
  self->ended = TRUE;
  g_cond_signal(&self->changed);
  g_mutex_unlock(&self->lock);
  g_thread_join(self->thread);
  g_ptr_array_unref(self->in_work);
  g_cond_clear(&self->changed);
  g_mutex_clear(&self->lock);
  g_free(self);
}

/** ms_runner_watch_begin: @item: (nullable): what the device works on from now on, %NULL while it is opened. */
void
ms_runner_watch_begin(MsRunnerWatch *self, MsBatchItem *item)
{
  if (!self)
    return;
  g_mutex_lock(&self->lock);
  note_report(self);
  g_ptr_array_add(self->in_work, item);
  g_cond_signal(&self->changed);
  g_mutex_unlock(&self->lock);
}

/** ms_runner_watch_heard: the device has reported progress. */
void
ms_runner_watch_heard(MsRunnerWatch *self)
{
  if (!self)
    return;
  g_mutex_lock(&self->lock);
  note_report(self);
  g_mutex_unlock(&self->lock);
}

/** ms_runner_watch_end: the device has ended the work that ms_runner_watch_begin() named. */
void
ms_runner_watch_end(MsRunnerWatch *self, MsBatchItem *item)
{
  if (!self)
    return;
  g_mutex_lock(&self->lock);
  note_report(self);
  g_ptr_array_remove(self->in_work, item);
  g_mutex_unlock(&self->lock);
}
