/* SPDX-License-Identifier: MIT */
#include "app/process/guard.h"

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/opencl/driver-cache.h"

/* The time in which a child exits that has finished; nothing depends on it any more. */
#define EXIT_S 1

/* MESSAGE_RESULTS: results are written from now on; MESSAGE_FINISHED: the exit status of the command, and a text. */
enum {
  MESSAGE_RESULTS,
  MESSAGE_FINISHED,
};

static const MsMessageType types[] = {
  [MESSAGE_RESULTS] = {"results", "()", 0},
  [MESSAGE_FINISHED] = {"finished", "(is)", 0},
};

static const MsProtocol from_child = {types, G_N_ELEMENTS(types)};
static const MsProtocol to_child = {NULL, 0};

/*
 * @cache: (nullable): a spare cache for the driver, whose usual one may have caused a death
 * @text: (nullable): of the child that finished
 */
struct _MsGuard {
  MsChild *child;
  char *cache;
  char *text;
  int status;
  gboolean has_results;
};

/** ms_guard_new: (transfer full): forks the first child; see ms_child_fork(). */
MsGuard *
ms_guard_new(MsChildMain work, gpointer data)
{
  const MsChildStart start = {.role = MS_GUARD_ROLE, .from_child = &from_child, .to_child = &to_child};
  MsGuard *self = g_new0(MsGuard, 1);

  self->child = ms_child_fork(&start, work, data, NULL);
  return self;
}

void
ms_guard_free(MsGuard *self)
{
  if (!self)
    return;
  ms_child_free(self->child);
  ms_driver_cache_remove_spare(self->cache);
  g_free(self->cache);
  g_free(self->text);
  g_free(self);
}

static gboolean
take_message(MsMessage *message, gpointer data)
{
  MsGuard *self = data;

  self->has_results = TRUE;
  if (message->kind != MESSAGE_FINISHED)
    return FALSE;
  g_free(self->text);
  g_variant_get(message->payload, "(is)", &self->status, &self->text);
  return TRUE;
}

/* Starts the program once more, with an empty cache of the driver, because the usual one may be damaged. */
static gboolean
start_again(MsGuard *self, GError **error)
{
  const MsChildStart start = {
    .role = MS_GUARD_ROLE, .from_child = &from_child, .to_child = &to_child, .cache = self->cache};

  g_clear_pointer(&self->child, ms_child_free);
  self->child = ms_child_spawn(&start, error);
  return self->child != NULL;
}

static MsExitStatus
report_late(const MsGuardLimits *limits, GError **error)
{
  ms_set_error(error, MS_ERROR_TIMEOUT,
               "The command took longer than the %g s of --timeout and was ended. Allow more time, or select another "
               "device with --device.",
               limits->timeout_s);
  return MS_EXIT_NO_DEVICE;
}

static MsExitStatus
report_cancelled(const MsGuard *self, GError **error)
{
  const int status = ms_child_get_status(self->child);

  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
    ms_set_error_literal(error, MS_ERROR_DEVICE,
                         "The process that used OpenCL did not end by itself and was killed; finished files are kept.");
  return MS_EXIT_INTERRUPTED;
}

static MsExitStatus
report_death(const char *how, guint starts, GError **error)
{
  g_autofree char *tries = starts > 1 ? g_strdup_printf(", the last of %u,", starts) : g_strdup("");

  ms_set_error(error, MS_ERROR_NO_DEVICE,
               "The process that used OpenCL%s did not survive: %s. The lines above, if any, are from its driver. "
               "Select another device with --device.",
               tries, how);
  return MS_EXIT_NO_DEVICE;
}

static void
note_start(const MsGuard *self, const char *how, const MsGuardLimits *limits)
{
  g_autofree char *folder = self->cache ? ms_driver_cache_find() : NULL;
  g_autofree char *about_cache =
    folder ? g_strdup_printf(" with an empty cache of the driver; if that helps, delete '%s'", folder) : g_strdup("");
  g_autofree char *sentence =
    g_strdup_printf("The process that used OpenCL did not survive: %s. It is started once more%s.", how, about_cache);

  limits->note(sentence, limits->note_data);
}

/* Whether a child that ended in this way is followed by another. */
static gboolean
tries_again(const MsGuard *self, const MsGuardLimits *limits, MsChildEnd end, guint starts)
{
  return end == MS_CHILD_END_DIED && !self->has_results && starts < limits->starts;
}

/**
 * ms_guard_follow:
 * @text: (out) (nullable) (transfer full): what the child said beside its status
 * @error: set where the child did not say how the command ended
 *
 * Follows the child until the command has ended. A child that died before it wrote results is started again, at most
 * as often as @limits says, with an empty cache of the driver. What the driver does after the child has said how the
 * command ended is of no consequence.
 *
 * Returns: what the child said, %MS_EXIT_NO_DEVICE if it died or exceeded the time limit, or %MS_EXIT_INTERRUPTED
 */
MsExitStatus
ms_guard_follow(MsGuard *self, const MsGuardLimits *limits, GCancellable *cancellable, char **text, GError **error)
{
  const MsChildWatch watch = {.limit_s = limits->timeout_s, .grace_s = limits->grace_s};

  for (guint starts = 1;; starts++) {
    const MsChildEnd end =
      self->child ? ms_child_follow(self->child, &watch, take_message, self, cancellable) : MS_CHILD_END_DIED;
    if (self->child)
      ms_child_end(self->child, self->text ? EXIT_S : 0);
    if (end == MS_CHILD_END_LATE)
      return report_late(limits, error);
    if (self->text) {
      *text = g_steal_pointer(&self->text);
      return (MsExitStatus)self->status;
    }
    if (end == MS_CHILD_END_CANCELLED)
      return report_cancelled(self, error);
    g_autofree char *how =
      self->child ? ms_child_describe_end(self->child, end, &watch) : g_strdup("the system could not create it");
    if (!tries_again(self, limits, end, starts))
      return report_death(how, starts, error);
    if (!self->cache)
      self->cache = ms_driver_cache_make_spare();
    if (starts == 1)
      note_start(self, how, limits);
    if (!start_again(self, error))
      return MS_EXIT_NO_DEVICE;
  }
}

/** ms_guard_begin: (transfer full) (nullable): in a child that was started as a program, the channel to its parent. */
MsChannel *
ms_guard_begin(void)
{
  return ms_child_begin(&to_child, &from_child);
}

/** ms_guard_note_results: @channel: (nullable): says that results are written from now on, so that nothing is repeated. */
void
ms_guard_note_results(MsChannel *channel)
{
  if (channel)
    ms_channel_send(channel, MESSAGE_RESULTS, NULL, NULL, TRUE, NULL);
}

/**
 * ms_guard_finish: says how the command ended, and ends this process without closing the driver, which may hang or
 * abort then.
 */
void
ms_guard_finish(MsChannel *channel, MsExitStatus status, const char *text)
{
  fflush(NULL);
  ms_channel_send(channel, MESSAGE_FINISHED, g_variant_new("(is)", (int)status, text), NULL, TRUE, NULL);
  _exit(status);
}
