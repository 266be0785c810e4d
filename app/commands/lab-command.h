/* SPDX-License-Identifier: MIT */
/* Runs --experiment and --tune. */
#pragma once

#include "app/report/console.h"
#include "app/process/exit-status.h"

MsExitStatus ms_lab_command_run(const MsCommandLine *line, MsConsole *console, GCancellable *cancellable);
