/* SPDX-License-Identifier: MIT */
/* --merge-manifests: what several processes did together, and what is left to do. */
#pragma once

#include "app/command-line.h"
#include "app/console.h"
#include "app/process/exit-status.h"

G_BEGIN_DECLS

MsExitStatus ms_merge_command_run(const MsCommandLine *line, MsConsole *console);

G_END_DECLS
