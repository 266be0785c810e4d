/* SPDX-License-Identifier: MIT */
/* Runs --reduce histogram: counts of a generated array. */
#pragma once

#include "app/console.h"
#include "app/process/exit-status.h"

G_BEGIN_DECLS

MsExitStatus ms_histogram_command_run(const MsCommandLine *line, MsConsole *console, GCancellable *cancellable);

G_END_DECLS
