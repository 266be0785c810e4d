/* SPDX-License-Identifier: MIT */
#include "app/process/guard.h"

#include <stdio.h>
#include <sys/wait.h>

#include "core/opencl/driver-cache.h"

/* The time in which a child exits that has finished; nothing depends on it any more. */
#define EXIT_S 1

/* So many children in a row fail with the usual cache of the driver before one gets an empty cache. */
#define VAIN_WITH_USUAL_CACHE 2

/*
 * MESSAGE_SO_FAR: a text for people on what is done; MESSAGE_RESULTS: results are written from now on;
 * MESSAGE_FINISHED: the exit status of the command, and a text.
 */
enum {
  MESSAGE_SO_FAR,
  MESSAGE_RESULTS,
  MESSAGE_FINISHED,
};

static const MsMessageType types[] = {
  [MESSAGE_SO_FAR] = {"so far", "(s)", 0},
  [MESSAGE_RESULTS] = {"results", "()", 0},
  [MESSAGE_FINISHED] = {"finished", "(is)", 0},
};

static const MsProtocol from_child = {types, G_N_ELEMENTS(types)};
static const MsProtocol to_child = {NULL, 0};

/*
 * @cache: (nullable): a spare cache for the driver, whose usual one may have caused a death
 * @text: (nullable): of the child that finished
 * @so_far: (nullable): what the children have done, as a text
 * @journal: (nullable): what the children have measured so far
 * @vain_starts: children in a row that brought nothing
 */
struct _MsGuard {
  MsChild *child;
  char *cache;
  char *text;
  char *so_far;
  MsLabJournal *journal;
  guint vain_starts;
  int status;
  gboolean has_results;
};

/**
 * ms_guard_new: forks the first child; see ms_child_fork().
 * @has_journal: whether the children measure, so that each goes on where the last one ended
 */
MsGuard *
ms_guard_new(MsChildMain work, gpointer data, gboolean has_journal)
{
  MsGuard *self = g_new0(MsGuard, 1);

  self->journal = has_journal ? ms_lab_journal_new(NULL) : NULL;
  g_autofree char *fd = self->journal ? g_strdup_printf("%d", ms_lab_journal_get_fd(self->journal)) : NULL;
  const char *variables[] = {fd ? MS_LAB_JOURNAL_VARIABLE : NULL, fd, NULL};
  const MsChildStart start = {
    .role = MS_GUARD_ROLE, .from_child = &from_child, .to_child = &to_child, .variables = variables};
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
  g_free(self->so_far);
  g_clear_pointer(&self->journal, ms_lab_journal_free);
  g_free(self);
}

static gboolean
take_message(MsMessage *message, gpointer data)
{
  MsGuard *self = data;

  if (message->kind == MESSAGE_SO_FAR) {
    g_free(self->so_far);
    g_variant_get(message->payload, "(s)", &self->so_far);
    return FALSE;
  }
  self->has_results = TRUE;
  if (message->kind != MESSAGE_FINISHED)
    return FALSE;
  g_free(self->text);
  g_variant_get(message->payload, "(is)", &self->status, &self->text);
  return TRUE;
}

/* Starts the program once more, after its child died. */
static gboolean
start_again(MsGuard *self, GError **error)
{
  g_autoptr(GArray) files = g_array_new(FALSE, FALSE, sizeof(int));
  g_autofree char *fd = g_strdup_printf("%d", MS_CHILD_FILES_FD);
  const char *variables[] = {self->journal ? MS_LAB_JOURNAL_VARIABLE : NULL, fd, NULL};
  const MsChildStart start = {.role = MS_GUARD_ROLE,
                              .from_child = &from_child,
                              .to_child = &to_child,
                              .files = files,
                              .variables = variables,
                              .cache = self->cache,
                              .follows_death = TRUE};

  if (self->journal) {
    const int journal = ms_lab_journal_get_fd(self->journal);
    g_array_append_val(files, journal);
  }
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
  ms_set_error(error, MS_ERROR_NO_DEVICE,
               "The process that used OpenCL did not survive (%u started): %s. The lines above, if any, are from its "
               "driver. Select another device with --device.",
               starts, how);
  return MS_EXIT_NO_DEVICE;
}

static void
note_start(const char *how, const MsGuardLimits *limits)
{
  g_autofree char *sentence =
    g_strdup_printf("The process that used OpenCL did not survive: %s. It is started once more.", how);

  limits->note(sentence, limits->note_data);
}

/* An empty cache helped where the usual one had failed twice and the first child with the empty one has finished. */
static void
note_cache(const MsGuard *self, const MsGuardLimits *limits)
{
  const gboolean helped = self->cache && self->vain_starts == VAIN_WITH_USUAL_CACHE;
  g_autofree char *folder = helped ? ms_driver_cache_find() : NULL;

  if (!folder)
    return;
  g_autofree char *sentence = g_strdup_printf(
    "The driver ended the process with its usual cache, and not with an empty one; delete '%s'.", folder);
  limits->note(sentence, limits->note_data);
}

/*
 * Whether a child that ended in this way is followed by another: where it measured, as long as one in a few brings
 * something; else a few times.
 */
static gboolean
tries_again(MsGuard *self, const MsGuardLimits *limits, MsChildEnd end, const char *how)
{
  if ((end != MS_CHILD_END_DIED && end != MS_CHILD_END_OVERDUE) || self->has_results)
    return FALSE;
  if (self->journal)
    ms_lab_journal_note_death(self->journal, how);
  if (self->journal && ms_lab_journal_has_grown(self->journal))
    self->vain_starts = 0;
  return ++self->vain_starts < limits->starts;
}

static double
seconds_left(gpointer journal)
{
  return ms_lab_journal_seconds_left(journal);
}

/**
 * ms_guard_follow:
 * @text: (out) (nullable) (transfer full): what the child said beside its status; where it died, what was done so far
 * @error: set where the child did not say how the command ended
 *
 * Follows the child until the command has ended. A child that died before it wrote results is started again, at most
 * as often as @limits says, at last with an empty cache of the driver. What the driver does after the child has said
 * how the command ended is of no consequence.
 *
 * Returns: what the child said, %MS_EXIT_NO_DEVICE if it died or exceeded the time limit, or %MS_EXIT_INTERRUPTED
 */
MsExitStatus
ms_guard_follow(MsGuard *self, const MsGuardLimits *limits, GCancellable *cancellable, char **text, GError **error)
{
  const gint64 began_us = g_get_monotonic_time();
  MsChildWatch watch = {
    .grace_s = limits->grace_s, .seconds_left = self->journal ? seconds_left : NULL, .data = self->journal};

  for (guint starts = 1;; starts++) {
    /* The limit is that of the command, however often its child is started again; 0 would be none. */
    if (limits->timeout_s > 0)
      watch.limit_s = MAX(limits->timeout_s - (double)(g_get_monotonic_time() - began_us) * 1e-6, 0.001);
    const MsChildEnd end =
      self->child ? ms_child_follow(self->child, &watch, take_message, self, cancellable) : MS_CHILD_END_DIED;
    if (self->child)
      ms_child_end(self->child, self->text ? EXIT_S : 0);
    /* A command that was done before it saw that its time was over is done. */
    if (end == MS_CHILD_END_LATE && (!self->text || self->status == MS_EXIT_INTERRUPTED)) {
      *text = g_steal_pointer(&self->text);
      if (!*text)
        *text = g_steal_pointer(&self->so_far);
      return report_late(limits, error);
    }
    if (self->text) {
      note_cache(self, limits);
      *text = g_steal_pointer(&self->text);
      return (MsExitStatus)self->status;
    }
    if (end == MS_CHILD_END_CANCELLED)
      return report_cancelled(self, error);
    g_autofree char *how =
      self->child ? ms_child_describe_end(self->child, end, &watch) : g_strdup("the system could not create it");
    if (!tries_again(self, limits, end, how)) {
      *text = g_steal_pointer(&self->so_far);
      return report_death(how, starts, error);
    }
    if (!self->cache && self->vain_starts >= VAIN_WITH_USUAL_CACHE)
      self->cache = ms_driver_cache_make_spare();
    if (starts == 1)
      note_start(how, limits);
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

/* Names of files and devices may not be UTF-8, which texts of messages are. */

/** ms_guard_note_so_far: @channel: (nullable): tells the parent what was done, for the case that the driver fails. */
void
ms_guard_note_so_far(MsChannel *channel, const char *text)
{
  g_autofree char *valid = g_utf8_make_valid(text, -1);

  if (channel)
    ms_channel_send(channel, MESSAGE_SO_FAR, g_variant_new("(s)", valid), NULL, NULL);
}

/** ms_guard_note_results: @channel: (nullable): says that results are written now, so that nothing is repeated. */
void
ms_guard_note_results(MsChannel *channel)
{
  if (channel)
    ms_channel_send(channel, MESSAGE_RESULTS, NULL, NULL, NULL);
}

/** ms_guard_finish: says how the command ended, and ends this process by ms_child_exit(). */
void
ms_guard_finish(MsChannel *channel, MsExitStatus status, const char *text)
{
  g_autofree char *valid = g_utf8_make_valid(text, -1);

  fflush(NULL);
  ms_channel_send(channel, MESSAGE_FINISHED, g_variant_new("(is)", (int)status, valid), NULL, NULL);
  ms_child_exit((int)status);
}
