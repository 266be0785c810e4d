/* SPDX-License-Identifier: MIT */
#include "core/process/driver.h"

#include <glib-unix.h>
#include <glib/gi18n-lib.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "core/opencl/driver-cache.h"
#include "core/process/follow.h"
#include "core/process/trial.h"

/* How long a process that has finished is waited for where the system takes it over. */
#define LEAVE_S 0.01

/* On a slow device, the limit of silence is this many times the longest silence so far. */
#define SILENCE_FACTOR 20

/* How long a process whose channel is closed may take to exit, so that its status tells why. */
#define EXIT_S 0.5

/* How often the silence of the process is looked at while something is expected of it. */
#define LOOK_MS 100

/*
 * @references: of the owner, of events of a main loop, of threads
 * @child: (nullable)
 * @cache: (nullable): an empty cache, where the usual one may have caused a death
 * @last_death: (nullable): how the last process ended
 * @watch: of the present process, like the following
 * @heard_us: when its last message came
 * @is_idle: whether it waits for more work
 * @found_culprits: whether a driver was found that ends or holds up whoever loads it
 * @is_watched: whether a main loop watches it, by the sources @channel, @messages and @timer, and the rest
 * @is_over: whether it takes no more messages and is waited for, because of @end
 * @may_try: whether the drivers may be tried when it has ended
 * @silence_s: the limit of silence unless the drivers are tried
 * @number: of the process; @tried: of the one that waited when the drivers were tried
 */
struct _MsDriver {
  grefcount references;
  gboolean is_closed;
  MsChildStart start;
  MsDriverUser user;
  MsDriverState state;
  MsChild *child;
  char *cache;
  char *last_death;
  guint started;
  gint64 began_us;
  GCancellable *cancellable; /* (nullable): of the run */
  MsChildWatch watch;
  gint64 heard_us;
  gboolean has_finished;
  gboolean is_idle;
  gboolean found_culprits;
  gboolean is_watched;
  MsFollower follower;
  guint channel;
  guint messages;
  guint timer;
  gboolean is_over;
  MsChildEnd end;
  gboolean may_try;
  double silence_s;
  guint number;
  guint tried;
};

static void on_tried(GObject *source, GAsyncResult *result, gpointer data);

/* Deciding */

static MsDriverAction
give_device_up(MsDriverState *state, const MsDriverRules *rules)
{
  if (!rules->has_processor || state->is_given_up || state->is_processor)
    return MS_DRIVER_GIVE_UP;
  state->is_given_up = TRUE;
  state->vain = state->fruitless = 0;
  return MS_DRIVER_TAKE_PROCESSOR;
}

/*
 * Work that is tried again must not fail because the usual cache of the driver is damaged. An opening costs nothing, so
 * it is repeated with the usual cache before it is put down to that.
 */
static MsDriverAction
decide_death(MsDriverState *state, const MsDriverRules *rules, gboolean crashed)
{
  state->fruitless++;
  if (!state->is_open)
    state->vain++;
  if (crashed && (state->is_open || state->vain >= rules->usual_cache))
    state->doubts_cache = TRUE;
  state->is_open = FALSE;
  if (state->vain >= MS_DRIVER_MOST_VAIN || (rules->most_fruitless > 0 && state->fruitless >= rules->most_fruitless))
    return give_device_up(state, rules);
  return MS_DRIVER_AGAIN;
}

/** ms_driver_decide: what follows @event. Depends on nothing but its arguments, and changes @state alone. */
MsDriverAction
ms_driver_decide(MsDriverState *state, const MsDriverRules *rules, MsDriverEvent event)
{
  switch (event) {
  case MS_DRIVER_OPENED:
  case MS_DRIVER_OPENED_PROCESSOR:
    state->is_open = TRUE;
    state->is_processor = event == MS_DRIVER_OPENED_PROCESSOR;
    state->vain = 0;
    break;
  case MS_DRIVER_RESULT:
    state->vain = state->fruitless = 0;
    break;
  case MS_DRIVER_FINISHED:
    state->is_open = FALSE;
    break;
  case MS_DRIVER_CRASHED:
  case MS_DRIVER_ENDED:
    return decide_death(state, rules, event == MS_DRIVER_CRASHED);
  case MS_DRIVER_NOTHING:
  case MS_DRIVER_IDLE:
    break;
  }
  return MS_DRIVER_GO_ON;
}

/* What is said */

static void
note(MsDriver *self, char *sentence)
{
  g_autofree char *owned = sentence;

  if (self->user.note)
    self->user.note(owned, self->user.data);
}

/* An empty cache helped where the usual one had failed and the first process with the empty one has not. */
static void
note_cache(MsDriver *self)
{
  g_autofree char *folder =
    self->cache && self->state.vain == self->user.rules.usual_cache ? ms_driver_cache_find() : NULL;

  if (folder)
    note(self, g_strdup_printf(_("The driver ended the process that used OpenCL with its usual cache, and not with an "
                                 "empty one; delete '%s' if it is damaged. Before: %s."),
                               folder, self->last_death));
}

static void
note_decision(MsDriver *self, MsDriverAction action)
{
  if (action == MS_DRIVER_TAKE_PROCESSOR)
    note(self, g_strdup_printf(_("The device is given up because its driver ended the process that used it: %s. The "
                                 "processor is used instead."),
                               self->last_death));
  else if (action == MS_DRIVER_AGAIN && self->state.vain == 1)
    note(self, g_strdup_printf(_("The process that used OpenCL did not survive: %s. It is started once more."),
                               self->last_death));
}

static void
report_death(MsDriver *self, MsChild *child, GError **error)
{
  if (ms_child_get_wait(child) == MS_WAIT_DRIVERS)
    ms_set_error(error, MS_ERROR_NO_DEVICE,
                 "The process that loaded the OpenCL drivers did not survive (%u started): %s. Use --device reference, "
                 "which needs none.",
                 self->started, self->last_death);
  else
    ms_set_error(error, MS_ERROR_NO_DEVICE,
                 "The process that used OpenCL did not survive (%u started): %s. Choose another device with --device.",
                 self->started, self->last_death);
}

/* One process */

/** ms_driver_new: (transfer full): @start: copied; of each process, to which the driver adds what follows a death */
MsDriver *
ms_driver_new(const MsChildStart *start)
{
  MsDriver *self = g_new0(MsDriver, 1);

  g_ref_count_init(&self->references);
  self->start = *start;
  return self;
}

static MsDriver *
ref_driver(MsDriver *self)
{
  g_ref_count_inc(&self->references);
  return self;
}

/* Runs @work in a thread, and then @done, which gets a reference. */
static void
run_in_thread(MsDriver *self, GTaskThreadFunc work, GAsyncReadyCallback done)
{
  g_autoptr(GTask) task = g_task_new(NULL, NULL, done, ref_driver(self));

  g_task_set_task_data(task, self, NULL);
  g_task_run_in_thread(task, work);
}

static void
remove_sources(MsDriver *self)
{
  g_clear_handle_id(&self->channel, g_source_remove);
  g_clear_handle_id(&self->messages, g_source_remove);
  g_clear_handle_id(&self->timer, g_source_remove);
}

/* Starts the next process, unless there is one. */
static gboolean
spawn_driver_process(MsDriver *self, GError **error)
{
  MsChildStart how = self->start;

  if (self->child)
    return TRUE;
  if (self->state.doubts_cache && !self->cache)
    self->cache = ms_driver_cache_make_spare();
  how.cache = self->cache;
  how.follows_death = self->last_death != NULL;
  self->child = ms_child_spawn(&how, error);
  return self->child != NULL;
}

/**
 * ms_driver_begin: starts the first process at once, which waits for work; as a copy of this process where the start
 * says so, which no later one is. If it cannot be started, the first user tries.
 */
void
ms_driver_begin(MsDriver *self)
{
  spawn_driver_process(self, NULL);
  self->start.work = NULL;
}

/** ms_driver_set_files: @files: (element-type int): of all further processes; one that waits for work is replaced */
void
ms_driver_set_files(MsDriver *self, const GArray *files)
{
  self->start.files = files;
  g_clear_pointer(&self->child, ms_child_free);
  self->is_idle = FALSE;
}

/* The limit of silence is many times the longest silence of a slow device. */
static void
adapt_silence(MsDriver *self)
{
  const gint64 now = g_get_monotonic_time();
  const double silence_s = (double)(now - self->heard_us) / G_USEC_PER_SEC;

  if (self->user.adapts_silence)
    self->watch.silence_s = MAX(self->watch.silence_s, SILENCE_FACTOR * silence_s);
  self->heard_us = now;
}

static void
note_driver_event(MsDriver *self, MsDriverEvent event)
{
  const gboolean is_opened = event == MS_DRIVER_OPENED || event == MS_DRIVER_OPENED_PROCESSOR;
  if (is_opened || event == MS_DRIVER_FINISHED)
    note_cache(self);
  ms_driver_decide(&self->state, &self->user.rules, event);
  self->is_idle = event == MS_DRIVER_IDLE;
  self->has_finished = event == MS_DRIVER_FINISHED || self->is_idle;
}

/* The user may close the driver meanwhile, in a main loop. */
static gboolean
take_message(MsMessage *message, gpointer data)
{
  MsDriver *self = data;

  adapt_silence(self);
  const MsDriverEvent event = self->user.take(message, self->user.data);
  if (self->is_closed)
    return TRUE;
  note_driver_event(self, event);
  if (self->state.is_open && !self->is_watched)
    ms_child_pass_stderr(self->child);
  return self->has_finished || self->is_over;
}

static double
seconds_left(gpointer data)
{
  MsDriver *self = data;

  return self->user.seconds_left(self->user.data);
}

/* Whether a driver was found that ends or holds up whoever loads it; the next process leaves it out. */
static gboolean
finds_culprits(MsDriver *self)
{
  g_autoptr(GError) error = NULL;
  const gboolean found = ms_trial_find_culprits(self->cancellable, &error);

  if (error)
    note(self, g_strdup(error->message));
  return found;
}

static void
try_in_thread(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  g_task_return_boolean(task, ms_trial_find_culprits(NULL, NULL));
}

/*
 * Drivers that are slow are waited for, and people are told. A main loop tries the drivers in a thread, and no silence
 * counts meanwhile.
 */
static gboolean
on_long_wait(MsWait what, gpointer data)
{
  MsDriver *self = data;

  note(self, g_strdup_printf(_("The program has waited for %d s for %s."), MS_CHILD_LONG_WAIT_S, ms_wait_name(what)));
  if (what != MS_WAIT_DRIVERS || self->is_over)
    return !self->is_over;
  if (self->is_watched) {
    self->watch.silence_s = 0;
    self->tried = self->number;
    run_in_thread(self, try_in_thread, on_tried);
    return TRUE;
  }
  self->found_culprits = finds_culprits(self);
  return !self->found_culprits;
}

/* Sets what differs from process to process in the limits. */
static void
renew_watch(MsDriver *self)
{
  /* The limit is that of all processes; 0 would be none. */
  if (self->user.watch.limit_s > 0)
    self->watch.limit_s =
      MAX(self->user.watch.limit_s - (double)(g_get_monotonic_time() - self->began_us) * 1e-6, 0.001);
  self->heard_us = g_get_monotonic_time();
}

/* Whether the process ended by itself, and nobody killed it. */
static gboolean
has_crashed(MsChild *child, MsChildEnd end)
{
  const int status = ms_child_get_status(child);

  return end == MS_CHILD_END_DIED &&
         !(WIFSIGNALED(status) && (WTERMSIG(status) == SIGKILL || WTERMSIG(status) == SIGTERM));
}

/* Follows a process until it has finished or died. */
static MsChildEnd
follow_process(MsDriver *self, GCancellable *cancellable)
{
  renew_watch(self);
  self->has_finished = self->is_idle = self->found_culprits = FALSE;
  if (self->user.begin)
    self->user.begin(self->user.data);
  const MsChildEnd end = ms_child_follow(self->child, &self->watch, take_message, self, cancellable);
  if (self->is_idle)
    return end;
  if (self->has_finished && self->user.leaves && self->user.leaves(self->user.data))
    ms_child_leave(self->child, LEAVE_S);
  else
    ms_child_end(self->child, self->has_finished ? self->user.exit_s : 0);
  return end;
}

/*
 * What follows the death of @child.
 * @found_culprits: whether the next process cannot end in the same way, because it leaves out a driver
 */
static MsDriverAction
take_driver_death(MsDriver *self, MsChild *child, MsChildEnd end, gboolean found_culprits)
{
  MsDriverDeath death = MS_DRIVER_DEATH_COUNTS;
  MsDriverAction action = MS_DRIVER_GIVE_UP;

  g_free(self->last_death);
  self->last_death = ms_child_describe_end(child, end, &self->watch);
  if (self->user.died)
    death = self->user.died(end, self->last_death, self->user.data);
  if (death == MS_DRIVER_DEATH_IS_HARMLESS || (found_culprits && death != MS_DRIVER_DEATH_IS_FINAL))
    return MS_DRIVER_AGAIN;
  if (death == MS_DRIVER_DEATH_AFTER_RESULT)
    ms_driver_decide(&self->state, &self->user.rules, MS_DRIVER_RESULT);
  if (death != MS_DRIVER_DEATH_IS_FINAL)
    action = ms_driver_decide(&self->state, &self->user.rules,
                              has_crashed(child, end) && death == MS_DRIVER_DEATH_COUNTS ? MS_DRIVER_CRASHED
                                                                                         : MS_DRIVER_ENDED);
  note_decision(self, action);
  return action;
}

/**
 * ms_driver_run:
 * @user: copied
 * @cancellable: (nullable): cancelling it asks the process to end, and kills it where it does not
 *
 * Starts a process and follows it until it has finished or died, then the next one, until no work is left or a process
 * waits for more, which the next call goes on with. What a driver does after its process has said that it is done is of
 * no consequence.
 *
 * Returns: %MS_CHILD_END_FINISHED if no work is left, %MS_CHILD_END_CANCELLED or %MS_CHILD_END_LATE; otherwise @error
 *   is set
 */
MsChildEnd
ms_driver_run(MsDriver *self, const MsDriverUser *user, GCancellable *cancellable, GError **error)
{
  self->user = *user;
  self->began_us = g_get_monotonic_time();
  self->cancellable = cancellable;
  self->watch = self->user.watch;
  self->watch.seconds_left = self->user.seconds_left ? seconds_left : NULL;
  self->watch.waits = on_long_wait;
  self->watch.data = self;
  while (self->user.has_work(self->user.data)) {
    self->started += !self->is_idle;
    if (!spawn_driver_process(self, error))
      return MS_CHILD_END_DIED;
    const MsChildEnd end = follow_process(self, cancellable);
    if (end == MS_CHILD_END_CANCELLED || end == MS_CHILD_END_LATE || self->is_idle)
      return end;
    const gboolean has_died = !self->has_finished;
    if (has_died && ms_child_get_wait(self->child) == MS_WAIT_DRIVERS && !self->found_culprits)
      self->found_culprits = finds_culprits(self);
    if (has_died && take_driver_death(self, self->child, end, self->found_culprits) == MS_DRIVER_GIVE_UP) {
      report_death(self, self->child, error);
      return end;
    }
    g_clear_pointer(&self->child, ms_child_free);
  }
  return MS_CHILD_END_FINISHED;
}

/** ms_driver_forgive: for another device, whose deaths are counted anew. */
void
ms_driver_forgive(MsDriver *self)
{
  self->state = (MsDriverState){.doubts_cache = self->state.doubts_cache};
}

/* For a main loop, which never waits for a process */

static void
reap_in_thread(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  MsDriver *self = data;

  ms_child_end(self->child, self->end == MS_CHILD_END_DIED ? EXIT_S : 0);
  g_task_return_boolean(task, self->may_try && ms_child_get_wait(self->child) == MS_WAIT_DRIVERS &&
                                ms_trial_find_culprits(NULL, NULL));
}

/* The user may start the next process, or close the driver. */
static void
on_reaped(GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(MsDriver) self = data;
  g_autoptr(MsChild) child = g_steal_pointer(&self->child);
  const gboolean found = g_task_propagate_boolean(G_TASK(result), NULL) || self->found_culprits;

  self->is_watched = self->is_over = FALSE;
  if (self->is_closed)
    return;
  const MsDriverAction action = take_driver_death(self, child, self->end, found);
  g_autofree char *how = g_strdup(self->last_death);
  self->user.ended(child, self->end, how, action, self->user.data);
}

static void
stop_watched(MsDriver *self, MsChildEnd end)
{
  if (!self->is_watched || self->is_over)
    return;
  self->is_over = TRUE;
  self->end = end;
  self->may_try = end != MS_CHILD_END_FINISHED && !self->found_culprits;
  remove_sources(self);
  if (end != MS_CHILD_END_DIED)
    ms_child_signal(self->child, SIGKILL);
  /* The exit of a process with a large device may take long. */
  run_in_thread(self, reap_in_thread, on_reaped);
}

static void
on_tried(GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(MsDriver) self = data;
  const gboolean found = g_task_propagate_boolean(G_TASK(result), NULL);

  if (self->is_closed || !self->is_watched || self->tried != self->number)
    return;
  self->watch.silence_s = self->silence_s;
  self->found_culprits = found;
  if (found)
    stop_watched(self, MS_CHILD_END_OVERDUE);
}

static void
look_at_process(MsDriver *self)
{
  g_autoptr(MsDriver) kept = ref_driver(self);
  MsChildEnd end;

  if (!ms_follower_look(&self->follower, 0, &end))
    stop_watched(self, end);
  else if (ms_child_get_stderr(self->child) < 0)
    g_clear_handle_id(&self->messages, g_source_remove);
}

static gboolean
on_readable(int fd, GIOCondition condition, gpointer data)
{
  look_at_process(data);
  return G_SOURCE_CONTINUE;
}

static gboolean
on_look(gpointer data)
{
  look_at_process(data);
  return G_SOURCE_CONTINUE;
}

/**
 * ms_driver_expect: says whether an answer of the process is expected, whose driver may hang meanwhile.
 * @silence_s: the longest silence then; 0 for no limit
 */
void
ms_driver_expect(MsDriver *self, gboolean is_expected, double silence_s)
{
  if (!self->is_watched)
    return;
  self->watch.silence_s = self->silence_s = is_expected ? silence_s : 0;
  g_clear_handle_id(&self->timer, g_source_remove);
  if (is_expected && !self->is_over)
    self->timer = g_timeout_add(LOOK_MS, on_look, self);
}

/**
 * ms_driver_start: starts a process that the main loop of this thread watches.
 * @user: copied
 *
 * Returns: %FALSE if none can be started
 */
gboolean
ms_driver_start(MsDriver *self, const MsDriverUser *user, GError **error)
{
  self->user = *user;
  if (!spawn_driver_process(self, error))
    return FALSE;
  self->is_watched = TRUE;
  self->has_finished = self->found_culprits = FALSE;
  self->number++;
  self->silence_s = 0;
  self->watch = (MsChildWatch){.waits = on_long_wait, .data = self};
  ms_follower_begin(&self->follower, self->child, &self->watch, take_message, self, NULL);
  self->channel = g_unix_fd_add(ms_channel_get_fd(ms_child_get_channel(self->child)), G_IO_IN, on_readable, self);
  self->messages = g_unix_fd_add(ms_child_get_stderr(self->child), G_IO_IN, on_readable, self);
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
  self->follower.heard_us = g_get_monotonic_time();
  if (!ms_child_send(self->child, kind, payload, fds, NULL))
    stop_watched(self, MS_CHILD_END_DIED);
}

/** ms_driver_stop: ends the process, unless there is none; it is told as other ends are, with this reason. */
void
ms_driver_stop(MsDriver *self, MsChildEnd end)
{
  stop_watched(self, end);
}

/** ms_driver_is_ending: whether there is a process that takes no more messages. */
gboolean
ms_driver_is_ending(MsDriver *self)
{
  return self->is_over;
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
  self->is_closed = TRUE;
  remove_sources(self);
  if (self->child && !self->is_over) {
    self->is_over = TRUE;
    shutdown(ms_channel_get_fd(ms_child_get_channel(self->child)), SHUT_RDWR);
    ms_child_end(self->child, patience_s);
  }
  ms_driver_free(self);
}

/* The object */

/** ms_driver_is_given_up: whether the processor has taken over. */
gboolean
ms_driver_is_given_up(MsDriver *self)
{
  return self->state.is_given_up;
}

/** ms_driver_has_empty_cache: whether the usual cache of the driver is passed over. */
gboolean
ms_driver_has_empty_cache(MsDriver *self)
{
  return self->cache != NULL;
}

/** ms_driver_get_child: (transfer none) (nullable): the process, or the last one after its end. */
MsChild *
ms_driver_get_child(MsDriver *self)
{
  return self->child;
}

/** ms_driver_free: ends the process if it still runs. */
void
ms_driver_free(MsDriver *self)
{
  if (!self || !g_ref_count_dec(&self->references))
    return;
  ms_child_free(self->child);
  ms_driver_cache_remove_spare(self->cache);
  g_free(self->cache);
  g_free(self->last_death);
  g_free(self);
}
