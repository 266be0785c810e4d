/* SPDX-License-Identifier: MIT */
#include "ui/engine/window-engine-hold.h"

#include "ui/engine/window-engine-private.h"

/**
 * ms_window_engine_hold_async:
 * @cancellable: (transfer none): of the measurement; identifies the holder
 *
 * Waits until everything that was requested has ended. From then on requests wait until ms_window_engine_release(),
 * which the caller must call after each successful call.
 */
void
ms_window_engine_hold_async(MsWindowEngine *self, GCancellable *cancellable, GAsyncReadyCallback callback,
                            gpointer user_data)
{
  g_autoptr(GTask) task = g_task_new(self, cancellable, callback, user_data);

  g_task_set_check_cancellable(task, FALSE);
  g_ptr_array_add(self->holders, g_object_ref(cancellable));
  ms_window_engine_push(self, ms_job_new(MS_JOB_HOLD, task));
  g_signal_emit_by_name(self, "holders-changed");
}

/** ms_window_engine_hold_finish: %FALSE when the holder was cancelled before; there is nothing to release then. */
gboolean
ms_window_engine_hold_finish(MsWindowEngine *self, GAsyncResult *result, GError **error)
{
  GCancellable *cancellable = g_task_get_cancellable(G_TASK(result));
  gboolean held = g_task_propagate_boolean(G_TASK(result), error);

  if (!held && g_ptr_array_remove(self->holders, cancellable))
    g_signal_emit_by_name(self, "holders-changed");
  return held;
}

/** ms_window_engine_release: lets the requests that waited run. */
void
ms_window_engine_release(MsWindowEngine *self, GCancellable *cancellable)
{
  self->is_held = FALSE;
  g_ptr_array_remove(self->holders, cancellable);
  g_signal_emit_by_name(self, "holders-changed");
  ms_window_engine_pump(self);
}

/** ms_window_engine_is_held: whether a measurement has the device or waits for it. */
gboolean
ms_window_engine_is_held(MsWindowEngine *self)
{
  return self->holders->len > 0;
}

/** ms_window_engine_cancel_holders: cancels every measurement that has the device or waits for it. */
void
ms_window_engine_cancel_holders(MsWindowEngine *self)
{
  for (guint i = 0; i < self->holders->len; i++)
    g_cancellable_cancel(self->holders->pdata[i]);
}
