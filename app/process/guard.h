/* SPDX-License-Identifier: MIT */
/*
 * Runs work in a child process, so that a driver that aborts is reported with an exit status and a sentence, and one
 * that hangs ends after one signal.
 */
#pragma once

#include "app/process/exit-status.h"

/** MS_GUARD_GRACE_S: seconds in which cancelled work ends unless a driver hangs; a batch may wait 6 for its worker. */
#define MS_GUARD_GRACE_S 10

/**
 * MsGuardLimits:
 * @timeout_s: the seconds after which the child is cancelled, as by SIGTERM; 0 for no limit
 * @grace_s: the seconds in which it must end once it is cancelled
 */
typedef struct {
  double timeout_s;
  double grace_s;
} MsGuardLimits;

/** MsGuardedWork: @is_child: whether it is called in a child, which its parent ends if it hangs. */
typedef MsExitStatus (*MsGuardedWork)(gboolean is_child, gpointer data);

MsExitStatus ms_guard_run(MsGuardedWork work, gpointer data, const MsGuardLimits *limits);
void ms_guard_end_later(MsExitStatus status);
