/* SPDX-License-Identifier: MIT */
/* The process that has the device for the window: how it is opened and watched, and what follows its death. */
#include <glib/gi18n-lib.h>
#include <sys/wait.h>

#include "core/opencl/driver-cache.h"
#include "ui/engine/window-engine-private.h"

/* How long a request that a user has cancelled may go on before its process is killed. */
#define CANCEL_MS 1500

/* A process that dies without a request is started again at once so many times, then for the next request. */
#define MOST_IDLE_DEATHS 3

/* Opening */

/** ms_window_engine_fail: no request runs until another device is chosen. */
void
ms_window_engine_fail(MsWindowEngine *self, const GError *problem)
{
  self->state = MS_WINDOW_ENGINE_FAILED;
  g_clear_error(&self->problem);
  self->problem = g_error_copy(problem);
  g_clear_pointer(&self->death, g_free);
  g_signal_emit_by_name(self, "changed");
}

/* (transfer full) (nullable): the devices of an answer. */
static GPtrArray *
read_devices(GVariant *snapshots)
{
  g_autoptr(GPtrArray) devices = g_ptr_array_new_with_free_func((GDestroyNotify)ms_device_unref);

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
  g_autofree char *folder = ms_driver_has_empty_cache(self->driver) ? ms_driver_cache_find() : NULL;

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

  /* What a person has stopped has stopped. */
  if (!death || self->death_end == MS_CHILD_END_CANCELLED)
    return;
  g_autoptr(GError) report =
    g_error_new(MS_ERROR, MS_ERROR_DEVICE, _("%s The picture was kept; the device was opened again.%s%s\n%s"), death,
                spare ? " " : "", spare ? spare : "", self->death_detail);
  g_signal_emit_by_name(self, "recovered", report);
}

/**
 * ms_window_engine_take_opened: takes the answer of an opening; %FALSE if it makes no sense.
 *
 * A device that is opened again stays the same object, so that its runs can still be repeated.
 */
gboolean
ms_window_engine_take_opened(MsWindowEngine *self, GVariant *content)
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
  if (self->state == MS_WINDOW_ENGINE_READY && (!device || (self->device && ms_device_equal(device, self->device)))) {
    report_recovery(self);
    return TRUE;
  }
  self->state = MS_WINDOW_ENGINE_READY;
  g_clear_pointer(&self->device, ms_device_unref);
  self->device = device ? ms_device_ref(device) : NULL;
  g_ptr_array_unref(self->devices);
  self->devices = g_steal_pointer(&devices);
  g_free(self->explanation);
  self->explanation = g_steal_pointer(&explanation);
  g_signal_emit_by_name(self, "changed");
  report_recovery(self);
  return TRUE;
}

/* Watching */

/**
 * ms_window_engine_watch: looks at the silence of the process until the request of @request, which is sent, has ended.
 *
 * A driver may hang while the serial reference is opened, since all devices are listed, but not later.
 */
void
ms_window_engine_watch(MsWindowEngine *self, const MsWindowRequest *request)
{
  const gboolean may_hang = request->kind == MS_REQUEST_OPEN || !ms_window_engine_is_reference(self);

  ms_driver_expect(self->driver, may_hang, self->watchdog_ms / 1000.0);
}

static gboolean
on_cancel_late(gpointer data)
{
  MsWindowEngine *self = data;

  self->cancel_timer = 0;
  ms_driver_stop(self->driver, MS_CHILD_END_CANCELLED);
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
  if (cancellable && self->running && self->driver && ms_window_request_get_cancellable(self->running) == cancellable &&
      self->cancel_timer == 0)
    self->cancel_timer = g_timeout_add(CANCEL_MS, on_cancel_late, self);
}

/* How the process ends */

/* (transfer full): a sentence for the bar of the window. */
static char *
describe_death(MsWindowEngine *self, MsChildEnd end, int status)
{
  const char *name = ms_window_engine_name_device(self);

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
static MsDriverDeath
on_died(MsChildEnd end, const char *how, gpointer data)
{
  const MsWindowEngine *self = data;

  return self->running && !self->running->has_reported ? MS_DRIVER_DEATH_COUNTS : MS_DRIVER_DEATH_AFTER_RESULT;
}

static GError *
death_error(MsWindowEngine *self, const char *advice)
{
  return g_error_new(MS_ERROR, MS_ERROR_DEVICE, "%s %s\n%s", self->death, advice, self->death_detail);
}

/* The request is tried once more, unless it was cancelled. */
static void
try_again(MsWindowEngine *self, MsWindowRequest *request)
{
  if (g_cancellable_is_cancelled(ms_window_request_get_cancellable(request))) {
    ms_window_request_fail_cancelled(request);
    return;
  }
  if (!request->is_retried) {
    request->is_retried = TRUE;
    g_queue_insert_sorted(&self->waiting, request, ms_window_request_compare, NULL);
    return;
  }
  GError *error = death_error(self, _("It did so twice; change the settings or choose another device."));
  /* The error says it all, unless another request opens the device again. */
  if (g_queue_is_empty(&self->waiting))
    g_clear_pointer(&self->death, g_free);
  ms_window_request_fail(request, error);
}

static void
on_ended(MsChild *child, MsChildEnd end, const char *how, MsDriverAction action, gpointer data)
{
  g_autoptr(MsWindowEngine) self = g_object_ref(data);
  MsWindowRequest *request = ms_window_engine_take_running(self);

  g_free(self->death);
  g_free(self->death_detail);
  self->death = describe_death(self, end, ms_child_get_status(child));
  self->death_detail = g_strdup(how);
  self->death_end = end;
  self->is_open = FALSE;
  self->deaths++;
  if (request && request->kind == MS_REQUEST_OPEN)
    ms_window_request_free(request);
  else if (request)
    try_again(self, request);
  if (action == MS_DRIVER_GIVE_UP) {
    g_autoptr(GError) problem = death_error(self, _("It could not be opened; choose another device."));
    ms_driver_forgive(self->driver);
    ms_window_engine_fail(self, problem);
  }
  ms_window_engine_send_next(self);
}

/* Starting */

/** ms_window_engine_opens_early: whether the device is to be opened now although nothing waits for it. */
gboolean
ms_window_engine_opens_early(MsWindowEngine *self)
{
  return self->state == MS_WINDOW_ENGINE_OPENING || (self->death && self->deaths <= MOST_IDLE_DEATHS);
}

/* What takes long is told beside the name of the device. */
static void
on_note(const char *sentence, gpointer data)
{
  MsWindowEngine *self = data;

  if (self->state != MS_WINDOW_ENGINE_OPENING)
    return;
  g_free(self->explanation);
  self->explanation = g_strdup(sentence);
  g_signal_emit_by_name(self, "changed");
}

/** ms_window_engine_open: has the process, started if there is none, open the device; %FALSE if none starts. */
gboolean
ms_window_engine_open(MsWindowEngine *self)
{
  const MsDriverUser user = {.rules = {.usual_cache = 1},
                             .take = ms_window_engine_on_message,
                             .died = on_died,
                             .ended = on_ended,
                             .note = on_note,
                             .data = self};
  g_autoptr(GError) error = NULL;

  if (ms_driver_get_pid(self->driver) == 0 && !ms_driver_start(self->driver, &user, &error)) {
    ms_window_engine_fail(self, error);
    return FALSE;
  }
  MsWindowRequest *request = ms_window_request_new(MS_REQUEST_OPEN, g_variant_new("(s)", self->device_selector));
  self->opening = self->openings;
  ms_window_engine_send(self, request);
  return TRUE;
}
