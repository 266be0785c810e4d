/* SPDX-License-Identifier: MIT */
/*
 * Runs a command that loads a driver in a child process, so that a driver that aborts, hangs or exits is reported with
 * an exit status and a sentence. A child that ends before it has said how the command ended has failed.
 */
#pragma once

#include "app/command-line/command-line.h"
#include "core/lab/measure/journal.h"
#include "core/process/child.h"

/** MS_GUARD_ROLE: the role of a child that was started again as a program. */
#define MS_GUARD_ROLE "command"

/**
 * MsGuardLimits:
 * @timeout_s: the seconds after which the child is cancelled, as by SIGTERM; 0 for no limit
 * @grace_s: the seconds in which it must end once it is cancelled
 * @starts: how many children may be started when they die, at most MS_CHILD_MOST_VAIN_STARTS
 * @note: called with the sentence that a child is started again
 */
typedef struct {
  double timeout_s;
  double grace_s;
  guint starts;
  void (*note)(const char *sentence, gpointer data);
  gpointer note_data;
} MsGuardLimits;

typedef struct _MsGuard MsGuard;

MsGuard *ms_guard_new(MsChildMain work, gpointer data, gboolean has_journal);
MsExitStatus ms_guard_follow(MsGuard *self, const MsGuardLimits *limits, GCancellable *cancellable, char **text,
                             GError **error);
void ms_guard_free(MsGuard *self);

MsChannel *ms_guard_begin(void);
void ms_guard_note_so_far(MsChannel *channel, const char *text);
void ms_guard_note_results(MsChannel *channel);
void ms_guard_finish(MsChannel *channel, MsExitStatus status, const char *text) G_GNUC_NORETURN;

G_DEFINE_AUTOPTR_CLEANUP_FUNC(MsGuard, ms_guard_free)
