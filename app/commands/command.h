/* SPDX-License-Identifier: MIT */
/* Reports errors and opens the device for the commands that need no window. */
#pragma once

#include <json-glib/json-glib.h>

#include "app/process/exit-status.h"
#include "app/report/console.h"

MsExitStatus ms_command_fail(MsConsole *console, const GError *error);
/** MsCommandResult: what a command reports, as a text for people and as JSON for programs. */
typedef struct {
  const char *text;
  JsonBuilder *json;
} MsCommandResult;

MsEngine *ms_command_open_engine(const MsCommandLine *line, MsConsole *console, const char *device_selector,
                                 GError **error);
MsContext *ms_command_open_context(const MsCommandLine *line, MsConsole *console, GError **error);
gboolean ms_command_report(const MsCommandLine *line, MsConsole *console, const MsCommandResult *result,
                           GCancellable *cancellable, GError **error);
