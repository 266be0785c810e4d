/* SPDX-License-Identifier: MIT */
/* Runs --reduce: one reduction over a generated array, checked and timed. */
#pragma once

#include "app/report/console.h"
#include "app/process/exit-status.h"

MsExitStatus ms_reduce_command_run(const MsCommandLine *line, MsConsole *console, GCancellable *cancellable);
