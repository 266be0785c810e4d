/* SPDX-License-Identifier: MIT */
/* The processes of a driver that a main loop watches, which never waits for them. */
#include <glib-unix.h>
#include <sys/socket.h>

#include "core/process/driver-private.h"
#include "core/process/trial.h"

/* How long a process whose channel is closed may take to exit, so that its status tells why. */
#define EXIT_S 0.5

/* How often the silence of the process is looked at while something is expected of it. */
#define LOOK_MS 100

struct MsDriverProcess {
  grefcount references; /* of the driver, of the events that run, of threads */
  MsDriver *driver;     /* (nullable): %NULL once it is closed */
  MsChild *child;
  guint channel; /* sources of the main loop */
  guint messages;
  guint timer;
  gboolean is_over;
  MsChildEnd end;
  MsFollower follower;
  double silence_s;        /* the limit of silence unless the drivers are tried */
  gboolean found_culprits; /* among the drivers, which are tried when their loading takes long */
};

static void
unref(MsDriverProcess *self)
{
  if (!g_ref_count_dec(&self->references))
    return;
  ms_child_free(self->child);
  g_free(self);
}

static MsDriverProcess *
ref(MsDriverProcess *self)
{
  g_ref_count_inc(&self->references);
  return self;
}

/* Runs @work in a thread, which has a reference, and then @done. */
static void
run_in_thread(MsDriverProcess *self, GTaskThreadFunc work, GAsyncReadyCallback done)
{
  g_autoptr(GTask) task = g_task_new(NULL, NULL, done, ref(self));

  g_task_set_task_data(task, self, NULL);
  g_task_run_in_thread(task, work);
}

static void
remove_sources(MsDriverProcess *self)
{
  g_clear_handle_id(&self->channel, g_source_remove);
  g_clear_handle_id(&self->messages, g_source_remove);
  g_clear_handle_id(&self->timer, g_source_remove);
}

/* The end */

static void
reap_in_thread(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  MsDriverProcess *self = data;

  ms_child_end(self->child, self->end == MS_CHILD_END_DIED ? EXIT_S : 0);
  if (ms_child_get_wait(self->child) == MS_WAIT_DRIVERS && !self->found_culprits && self->end != MS_CHILD_END_FINISHED)
    self->found_culprits = ms_trial_find_culprits(NULL, NULL);
  g_task_return_boolean(task, TRUE);
}

static void
on_reaped(GObject *source, GAsyncResult *result, gpointer data)
{
  MsDriverProcess *self = data;
  MsDriver *driver = self->driver;

  if (driver) {
    self->driver = NULL;
    driver->process = NULL;
    driver->child = NULL;
    const MsDriverAction action = ms_driver_take_death(driver, self->child, self->end, self->found_culprits);
    g_autofree char *how = g_strdup(driver->last_death);
    driver->user.ended(self->child, self->end, how, action, driver->user.data);
    unref(self);
  }
  unref(self);
}

static void
stop(MsDriverProcess *self, MsChildEnd end)
{
  if (self->is_over)
    return;
  self->is_over = TRUE;
  self->end = end;
  remove_sources(self);
  if (end != MS_CHILD_END_DIED)
    ms_child_signal(self->child, SIGKILL);
  /* The exit of a process with a large device may take long. */
  run_in_thread(self, reap_in_thread, on_reaped);
}

/* What happens to it */

/* The user may close the driver meanwhile. */
static gboolean
take(MsMessage *message, gpointer data)
{
  MsDriverProcess *self = data;
  const MsDriverEvent event = self->driver->user.take(message, self->driver->user.data);

  if (self->driver)
    ms_driver_note_event(self->driver, event);
  return event == MS_DRIVER_FINISHED || self->is_over;
}

static void
look(MsDriverProcess *self)
{
  MsChildEnd end;

  ref(self);
  if (!ms_follower_look(&self->follower, 0, &end))
    stop(self, end);
  else if (ms_child_get_stderr(self->child) < 0)
    g_clear_handle_id(&self->messages, g_source_remove);
  unref(self);
}

static gboolean
on_readable(int fd, GIOCondition condition, gpointer data)
{
  look(data);
  return G_SOURCE_CONTINUE;
}

static gboolean
on_look(gpointer data)
{
  look(data);
  return G_SOURCE_CONTINUE;
}

static void
try_in_thread(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  g_task_return_boolean(task, ms_trial_find_culprits(NULL, NULL));
}

static void
on_tried(GObject *source, GAsyncResult *result, gpointer data)
{
  MsDriverProcess *self = data;

  self->found_culprits = g_task_propagate_boolean(G_TASK(result), NULL);
  if (self->driver)
    self->driver->watch.silence_s = self->silence_s;
  if (self->found_culprits && self->driver)
    stop(self, MS_CHILD_END_OVERDUE);
  unref(self);
}

/* Tells what takes long; no silence counts while the drivers are tried. The user may close the driver meanwhile. */
static gboolean
on_long_wait(MsWait what, gpointer data)
{
  MsDriverProcess *self = data;

  if (what == MS_WAIT_DRIVERS) {
    self->driver->watch.silence_s = 0;
    run_in_thread(self, try_in_thread, on_tried);
  }
  ms_driver_note_wait(self->driver, what);
  return !self->is_over;
}

/**
 * ms_driver_expect: says whether an answer of the process is expected, whose driver may hang meanwhile.
 * @silence_s: the longest silence then; 0 for no limit
 */
void
ms_driver_expect(MsDriver *self, gboolean is_expected, double silence_s)
{
  if (!self->process)
    return;
  self->watch.silence_s = self->process->silence_s = is_expected ? silence_s : 0;
  g_clear_handle_id(&self->process->timer, g_source_remove);
  if (is_expected && !self->process->is_over)
    self->process->timer = g_timeout_add(LOOK_MS, on_look, self->process);
}

/* The process */

/**
 * ms_driver_start: starts a process that the main loop of this thread watches.
 *
 * Returns: %FALSE if none can be started
 */
gboolean
ms_driver_start(MsDriver *self, GError **error)
{
  if (!ms_driver_spawn(self, error))
    return FALSE;
  MsDriverProcess *process = g_new0(MsDriverProcess, 1);
  g_ref_count_init(&process->references);
  process->driver = self;
  process->child = self->child;
  self->watch = (MsChildWatch){.waits = on_long_wait, .data = process};
  ms_follower_begin(&process->follower, self->child, &self->watch, take, process, NULL);
  process->channel = g_unix_fd_add(ms_channel_get_fd(ms_child_get_channel(self->child)), G_IO_IN, on_readable, process);
  process->messages = g_unix_fd_add(ms_child_get_stderr(self->child), G_IO_IN, on_readable, process);
  self->process = process;
  return TRUE;
}

/**
 * ms_driver_send: sends a message without waiting; the time of silence begins. That the process has died is noticed
 * when it is followed.
 * @payload: (transfer floating)
 */
void
ms_driver_send(MsDriver *self, guint kind, GVariant *payload, const int *fds)
{
  if (self->process)
    self->process->follower.heard_us = g_get_monotonic_time();
  if (!ms_child_send(self->child, kind, payload, fds, NULL) && self->process)
    stop(self->process, MS_CHILD_END_DIED);
}

/** ms_driver_stop: ends the process, unless there is none; it is told as other ends are, with this reason. */
void
ms_driver_stop(MsDriver *self, MsChildEnd end)
{
  if (self->process)
    stop(self->process, end);
}

/** ms_driver_is_ending: whether there is a process that takes no more messages. */
gboolean
ms_driver_is_ending(MsDriver *self)
{
  return self->process && self->process->is_over;
}

/** ms_driver_get_pid: of the process; 0 for none. */
GPid
ms_driver_get_pid(MsDriver *self)
{
  return self->child ? ms_child_get_pid(self->child) : 0;
}

/**
 * ms_driver_close: (transfer full): ends the process; nothing is told of it.
 * @patience_s: how long it may take to end by itself
 */
void
ms_driver_close(MsDriver *self, double patience_s)
{
  MsDriverProcess *process = self->process;

  if (process) {
    process->driver = NULL;
    remove_sources(process);
    if (!process->is_over) {
      process->is_over = TRUE;
      shutdown(ms_channel_get_fd(ms_child_get_channel(process->child)), SHUT_RDWR);
      ms_child_end(process->child, patience_s);
    }
    self->child = NULL;
    unref(process);
  }
  ms_driver_free(self);
}
