/* SPDX-License-Identifier: MIT */
/* Runs --reduce histogram: the histogram of a generated array, timed and checked against the serial counts. */
#pragma once

#include "app/report/console.h"
#include "app/process/exit-status.h"

MsExitStatus ms_histogram_command_run(const MsCommandLine *line, MsConsole *console, GCancellable *cancellable);
