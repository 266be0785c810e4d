/* SPDX-License-Identifier: MIT */
/* Reports errors and opens the device for the commands that need no window. */
#pragma once

#include "app/report/console.h"
#include "app/process/exit-status.h"

G_BEGIN_DECLS

MsExitStatus ms_command_fail(MsConsole *console, const GError *error);
MsContext *ms_command_open_context(const MsCommandLine *line, MsConsole *console, GError **error);

G_END_DECLS
