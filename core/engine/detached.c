/* SPDX-License-Identifier: MIT */
#include "core/engine/detached.h"

#include "core/engine/watchdog.h"

/* One call, shared by its caller and its thread. */
typedef struct {
  MsDetachedCall call;
  GCancellable *cancellable;
  GMutex lock;
  GCond changed;
  gboolean ended;
  gboolean left; /* the caller no longer waits */
} Detached;

static GMutex left_lock;
static GCond left_changed;
static guint n_left; /* detached threads that have not ended */

static void
clear_detached(gpointer data)
{
  Detached *self = data;

  g_object_unref(self->cancellable);
  g_mutex_clear(&self->lock);
  g_cond_clear(&self->changed);
}

static void
count_left(int change)
{
  g_mutex_lock(&left_lock);
  n_left = (guint)((int)n_left + change);
  g_cond_broadcast(&left_changed);
  g_mutex_unlock(&left_lock);
}

static gpointer
run(gpointer data)
{
  Detached *self = data;

  self->call.work(self->call.data, self->cancellable);
  if (self->call.free_data)
    self->call.free_data(self->call.data);
  g_mutex_lock(&self->lock);
  gboolean left = self->left;
  self->ended = TRUE;
  g_cond_signal(&self->changed);
  g_mutex_unlock(&self->lock);
  g_atomic_rc_box_release_full(self, clear_detached);
  if (left)
    count_left(-1);
  return NULL;
}

static void
wake(GCancellable *cancellable, gpointer data)
{
  Detached *self = data;

  g_mutex_lock(&self->lock);
  g_cond_signal(&self->changed);
  g_mutex_unlock(&self->lock);
}

/* Waits for the end of the work, after a cancellation for at most the grace time; returns whether it has ended. */
static gboolean
wait_for_end(Detached *self)
{
  g_mutex_lock(&self->lock);
  while (!self->ended && !g_cancellable_is_cancelled(self->cancellable))
    g_cond_wait(&self->changed, &self->lock);
  gint64 deadline_us = g_get_monotonic_time() + (gint64)(self->call.grace_s * G_USEC_PER_SEC);
  while (!self->ended && g_cond_wait_until(&self->changed, &self->lock, deadline_us))
    ;
  gboolean ended = self->ended;
  self->left = !ended;
  if (!ended)
    count_left(1);
  g_mutex_unlock(&self->lock);
  return ended;
}

/**
 * ms_detached_run:
 * @parent: (nullable): cancelling it cancels the call
 *
 * Runs @call in a new thread and waits for it. A driver cannot be interrupted while it compiles, so a call that does
 * not return in time after the limit or the cancellation is detached; it must own all data that it uses.
 *
 * Returns: whether the work has ended; otherwise ms_detached_wait() waits for it
 */
gboolean
ms_detached_run(const MsDetachedCall *call, GCancellable *parent)
{
  g_autoptr(MsWatchdog) dog = ms_watchdog_new(parent, call->limit_s);
  Detached *self = g_atomic_rc_box_new0(Detached);

  self->call = *call;
  self->cancellable = g_object_ref(ms_watchdog_cancellable(dog));
  g_mutex_init(&self->lock);
  g_cond_init(&self->changed);
  g_thread_unref(g_thread_new("detached", run, g_atomic_rc_box_acquire(self)));
  gulong handler = g_cancellable_connect(self->cancellable, G_CALLBACK(wake), self, NULL);
  gboolean ended = wait_for_end(self);
  g_cancellable_disconnect(self->cancellable, handler);
  g_atomic_rc_box_release_full(self, clear_detached);
  return ended;
}

/** ms_detached_count: the number of detached threads that have not ended. */
guint
ms_detached_count(void)
{
  g_mutex_lock(&left_lock);
  guint n = n_left;
  g_mutex_unlock(&left_lock);
  return n;
}

/** ms_detached_wait: waits until every detached thread has ended. */
void
ms_detached_wait(void)
{
  g_mutex_lock(&left_lock);
  while (n_left > 0)
    g_cond_wait(&left_changed, &left_lock);
  g_mutex_unlock(&left_lock);
}
