/* SPDX-License-Identifier: MIT */
#include "ui/engine/device-child.h"

#include <glib-unix.h>
#include <sys/socket.h>

/* How long a process whose channel is closed may take to exit, so that its status tells why. */
#define EXIT_S 0.5

struct _MsDeviceChild {
  grefcount references; /* of the owner, of the events that run, of the thread that reaps */
  MsChild *child;
  const MsDeviceChildEvents *events; /* (nullable): %NULL once the owner has closed it */
  gpointer data;
  guint channel; /* sources of the main loop */
  guint messages;
  gint64 heard_us;
  gboolean is_over;
  MsChildEnd end;
};

static void
unref(MsDeviceChild *self)
{
  if (!g_ref_count_dec(&self->references))
    return;
  ms_child_free(self->child);
  g_free(self);
}

static MsDeviceChild *
ref(MsDeviceChild *self)
{
  g_ref_count_inc(&self->references);
  return self;
}

static void
reap_in_thread(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  MsDeviceChild *self = data;

  ms_child_end(self->child, self->end == MS_CHILD_END_DIED ? EXIT_S : 0);
  g_task_return_boolean(task, TRUE);
}

static void
on_reaped(GObject *source, GAsyncResult *result, gpointer data)
{
  MsDeviceChild *self = data;

  if (self->events)
    self->events->ended(self->end, self->data);
  unref(self);
}

static void
remove_sources(MsDeviceChild *self)
{
  g_clear_handle_id(&self->channel, g_source_remove);
  g_clear_handle_id(&self->messages, g_source_remove);
}

/**
 * ms_device_child_stop: ends the process, unless it has ended; the event follows.
 * @end: the reason
 */
void
ms_device_child_stop(MsDeviceChild *self, MsChildEnd end)
{
  if (self->is_over)
    return;
  self->is_over = TRUE;
  self->end = end;
  remove_sources(self);
  if (end != MS_CHILD_END_DIED)
    ms_child_signal(self->child, SIGKILL);
  /* The exit of a process with a large device may take long. */
  g_autoptr(GTask) task = g_task_new(NULL, NULL, on_reaped, ref(self));
  g_task_set_task_data(task, self, NULL);
  g_task_run_in_thread(task, reap_in_thread);
}

/* Takes the next message; whether there may be another. */
static gboolean
take_message(MsDeviceChild *self)
{
  g_auto(MsMessage) message;

  switch (ms_channel_receive(ms_child_get_channel(self->child), &message)) {
  case MS_RECEIPT_MESSAGE:
    self->heard_us = g_get_monotonic_time();
    self->events->message(&message, self->data);
    return TRUE;
  case MS_RECEIPT_NOTHING:
    return FALSE;
  case MS_RECEIPT_CLOSED:
    ms_device_child_stop(self, MS_CHILD_END_DIED);
    return FALSE;
  case MS_RECEIPT_BROKEN:
    ms_device_child_stop(self, MS_CHILD_END_BROKEN);
    return FALSE;
  }
  g_return_val_if_reached(FALSE);
}

static gboolean
on_channel(int fd, GIOCondition condition, gpointer data)
{
  MsDeviceChild *self = ref(data);
  gboolean wanted = TRUE;

  while (wanted && !self->is_over)
    wanted = take_message(self);
  wanted = !self->is_over;
  unref(self);
  return wanted;
}

static gboolean
on_stderr(int fd, GIOCondition condition, gpointer data)
{
  MsDeviceChild *self = data;

  if (!ms_child_read_stderr(self->child)) {
    ms_device_child_stop(self, MS_CHILD_END_FLOODED);
    return G_SOURCE_REMOVE;
  }
  if (ms_child_get_stderr(self->child) >= 0)
    return G_SOURCE_CONTINUE;
  self->messages = 0;
  return G_SOURCE_REMOVE;
}

/**
 * ms_device_child_start: (transfer full): a process, to be freed with ms_device_child_close(); %NULL if none can be
 * started.
 * @cache, @follows_death: see #MsChildStart
 */
MsDeviceChild *
ms_device_child_start(const char *cache, gboolean follows_death, const MsDeviceChildEvents *events, gpointer data,
                      GError **error)
{
  g_autofree char *program = ms_child_find_program();
  const char *const arguments[] = {program, NULL};
  const MsChildStart start = {.role = MS_SERVICE_ROLE,
                              .arguments = arguments,
                              .from_child = &ms_service_answers,
                              .to_child = &ms_service_requests,
                              .captures_stderr = TRUE,
                              .cache = cache,
                              .follows_death = follows_death};
  MsChild *child = ms_child_spawn(&start, error);

  if (!child)
    return NULL;
  MsDeviceChild *self = g_new0(MsDeviceChild, 1);
  g_ref_count_init(&self->references);
  self->child = child;
  self->events = events;
  self->data = data;
  self->heard_us = g_get_monotonic_time();
  self->channel = g_unix_fd_add(ms_channel_get_fd(ms_child_get_channel(child)), G_IO_IN, on_channel, self);
  self->messages = g_unix_fd_add(ms_child_get_stderr(child), G_IO_IN, on_stderr, self);
  return self;
}

/**
 * ms_device_child_send: sends a request without waiting; the time of silence begins.
 * @content: (transfer floating)
 *
 * Returns: %FALSE if the process does not take it; the event of its end follows
 */
gboolean
ms_device_child_send(MsDeviceChild *self, guint32 number, MsRequestKind kind, GVariant *content, const int *fds)
{
  GVariant *members[] = {g_variant_new_uint32(number), content};
  const gboolean good = ms_child_send(self->child, kind, g_variant_new_tuple(members, 2), fds, NULL);

  if (kind != MS_REQUEST_CANCEL)
    self->heard_us = g_get_monotonic_time();
  if (!good)
    ms_device_child_stop(self, MS_CHILD_END_DIED);
  return good;
}

/** ms_device_child_is_over: whether it takes no more requests, because it ends. */
gboolean
ms_device_child_is_over(MsDeviceChild *self)
{
  return self->is_over;
}

/** ms_device_child_get_heard: the monotonic time of the last message to or from it. */
gint64
ms_device_child_get_heard(MsDeviceChild *self)
{
  return self->heard_us;
}

/** ms_device_child_get: (transfer none): the process, whose status and last words are known after its end. */
MsChild *
ms_device_child_get(MsDeviceChild *self)
{
  return self->child;
}

/**
 * ms_device_child_close: (transfer full): ends the process if it still runs; no event follows.
 * @patience_s: how long it may take to end by itself
 */
void
ms_device_child_close(MsDeviceChild *self, double patience_s)
{
  self->events = NULL;
  remove_sources(self);
  if (!self->is_over) {
    self->is_over = TRUE;
    shutdown(ms_channel_get_fd(ms_child_get_channel(self->child)), SHUT_RDWR);
    ms_child_end(self->child, patience_s);
  }
  unref(self);
}
