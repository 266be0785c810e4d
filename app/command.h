/* SPDX-License-Identifier: MIT */
/* What the commands without a window share: how they fail and how they open their device. */
#pragma once

#include "app/console.h"
#include "app/process/exit-status.h"

G_BEGIN_DECLS

MsExitStatus ms_command_fail(MsConsole *console, const GError *error);
MsContext *ms_command_open_context(const MsCommandLine *line, MsConsole *console, GError **error);

G_END_DECLS
