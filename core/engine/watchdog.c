/* SPDX-License-Identifier: MIT */
#include "core/engine/watchdog.h"

struct _MsWatchdog {
  GCancellable *parent;
  GCancellable *child;
  gulong handler;
  GThread *thread;
  GMutex mutex;
  GCond ended;
  gint64 deadline_us;
  gboolean done;
  gboolean fired;
};

static gpointer
watch(gpointer data)
{
  MsWatchdog *self = data;

  g_mutex_lock(&self->mutex);
  while (!self->done && !self->fired)
    if (!g_cond_wait_until(&self->ended, &self->mutex, self->deadline_us))
      self->fired = !self->done;
  gboolean bark = self->fired;
  g_mutex_unlock(&self->mutex);
  if (bark)
    g_cancellable_cancel(self->child);
  return NULL;
}

static void
parent_cancelled(GCancellable *parent, gpointer child)
{
  g_cancellable_cancel(child);
}

/**
 * ms_watchdog_new:
 * @parent: (nullable): cancelling it cancels the watchdog's cancellable too
 * @seconds: until the deadline; 0 or less for none
 *
 * Returns: (transfer full): a running watchdog; free it as soon as the watched work has ended
 */
MsWatchdog *
ms_watchdog_new(GCancellable *parent, double seconds)
{
  MsWatchdog *self = g_new0(MsWatchdog, 1);

  g_mutex_init(&self->mutex);
  g_cond_init(&self->ended);
  self->child = g_cancellable_new();
  if (parent) {
    self->parent = g_object_ref(parent);
    self->handler =
      g_cancellable_connect(parent, G_CALLBACK(parent_cancelled), g_object_ref(self->child), g_object_unref);
  }
  if (seconds > 0) {
    self->deadline_us = g_get_monotonic_time() + (gint64)(seconds * G_USEC_PER_SEC);
    self->thread = g_thread_new("watchdog", watch, self);
  }
  return self;
}

GCancellable *
ms_watchdog_cancellable(MsWatchdog *self)
{
  return self->child;
}

/** ms_watchdog_fired: whether the deadline passed, as opposed to the parent being cancelled. */
gboolean
ms_watchdog_fired(MsWatchdog *self)
{
  g_mutex_lock(&self->mutex);
  gboolean fired = self->fired;
  g_mutex_unlock(&self->mutex);
  return fired;
}

void
ms_watchdog_free(MsWatchdog *self)
{
  if (!self)
    return;
  g_mutex_lock(&self->mutex);
  self->done = TRUE;
  g_cond_signal(&self->ended);
  g_mutex_unlock(&self->mutex);
  if (self->thread)
    g_thread_join(self->thread);
  if (self->handler)
    g_cancellable_disconnect(self->parent, self->handler);
  g_clear_object(&self->parent);
  g_object_unref(self->child);
  g_cond_clear(&self->ended);
  g_mutex_clear(&self->mutex);
  g_free(self);
}
