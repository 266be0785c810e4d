/* SPDX-License-Identifier: MIT */
/*
 * Runs work in a child process, so that a driver that aborts is reported with an exit status and a sentence, and one
 * that hangs ends after one signal.
 */
#pragma once

#include "app/process/exit-status.h"

/** MsGuardedWork: @is_child: whether it is called in a child, which its parent ends if it hangs. */
typedef MsExitStatus (*MsGuardedWork)(gboolean is_child, gpointer data);

MsExitStatus ms_guard_run(MsGuardedWork work, gpointer data, double timeout_s);
void ms_guard_end_later(MsExitStatus status);
