/* SPDX-License-Identifier: MIT */
/* Runs work in a child process, so that a driver that aborts is reported with an exit status and a sentence. */
#pragma once

#include "app/process/exit-status.h"

G_BEGIN_DECLS

typedef MsExitStatus (*MsGuardedWork)(gpointer data);

MsExitStatus ms_guard_run(MsGuardedWork work, gpointer data);

G_END_DECLS
