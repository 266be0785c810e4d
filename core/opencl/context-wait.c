/* SPDX-License-Identifier: MIT */
/* Waiting for a device with a time limit: OpenCL has no such call, so a callback on the event ends the wait. */
#include "core/opencl/context-wait.h"

#include "core/opencl/cl-error.h"
#include "core/opencl/context-private.h"

typedef struct {
  gatomicrefcount references;
  GMutex lock;
  GCond ended;
  gboolean done;
  cl_int status;
} Waiter;

static void
waiter_unref(Waiter *waiter)
{
  if (!g_atomic_ref_count_dec(&waiter->references))
    return;
  g_mutex_clear(&waiter->lock);
  g_cond_clear(&waiter->ended);
  g_free(waiter);
}

static void CL_CALLBACK
wake(cl_event event, cl_int status, void *data)
{
  Waiter *waiter = data;

  g_mutex_lock(&waiter->lock);
  waiter->done = TRUE;
  waiter->status = status;
  g_cond_signal(&waiter->ended);
  g_mutex_unlock(&waiter->lock);
  waiter_unref(waiter);
}

static gboolean
waiter_wait(Waiter *waiter, guint milliseconds)
{
  gint64 deadline = g_get_monotonic_time() + (gint64)milliseconds * 1000;
  gboolean done;

  g_mutex_lock(&waiter->lock);
  while (!waiter->done && g_cond_wait_until(&waiter->ended, &waiter->lock, deadline))
    ;
  done = waiter->done;
  g_mutex_unlock(&waiter->lock);
  return done;
}

/* The waiter outlives this call when the device hangs, since the runtime may still run the callback later. */
static gboolean
wait_with_watchdog(MsContext *self, cl_event event, GError **error)
{
  Waiter *waiter = g_new0(Waiter, 1);
  cl_int status;
  gboolean done;

  g_atomic_ref_count_init(&waiter->references);
  g_atomic_ref_count_inc(&waiter->references);
  g_mutex_init(&waiter->lock);
  g_cond_init(&waiter->ended);
  if (clSetEventCallback(event, CL_COMPLETE, wake, waiter) != CL_SUCCESS) {
    waiter_unref(waiter);
    waiter_unref(waiter);
    return ms_cl_check(clWaitForEvents(1, &event), error, "waiting for the device");
  }
  done = waiter_wait(waiter, self->watchdog_ms);
  status = waiter->status;
  waiter_unref(waiter);
  if (done)
    return ms_cl_check(status, error, "waiting for the device");
  ms_set_error(error, MS_ERROR_TIMEOUT,
               "The device %s did not answer within %.1f s. Choose another device or smaller settings.",
               ms_device_get_name(self->device), self->watchdog_ms / 1000.0);
  return FALSE;
}

/* Waits for the commands after a failed wait, because the caller frees the memory that they access. */
static gboolean
check_wait(MsContext *self, cl_int status, GError **error)
{
  if (status != CL_SUCCESS)
    (void)clFinish(self->queue);
  return ms_cl_check(status, error, "waiting for the device");
}

/** ms_context_wait: waits until @event has completed, no longer than the watchdog allows where one is set. */
gboolean
ms_context_wait(MsContext *self, cl_event event, GError **error)
{
  if (self->watchdog_ms == 0)
    return check_wait(self, clWaitForEvents(1, &event), error);
  clFlush(self->queue);
  return wait_with_watchdog(self, event, error);
}

/** ms_context_finish: waits for everything enqueued, under the watchdog where one is set. */
gboolean
ms_context_finish(MsContext *self, GError **error)
{
  g_auto(cl_event) event = NULL;

  if (self->watchdog_ms == 0)
    return check_wait(self, clFinish(self->queue), error);
  if (!ms_cl_check(clEnqueueMarkerWithWaitList(self->queue, 0, NULL, &event), error, "waiting for the device"))
    return FALSE;
  return ms_context_wait(self, event, error);
}
