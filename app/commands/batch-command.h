/* SPDX-License-Identifier: MIT */
/* Filters the images of the command line. */
#pragma once

#include "app/report/console.h"
#include "app/process/exit-status.h"
#include "core/process/child.h"

MsExitStatus ms_batch_command_work(const MsCommandLine *line, MsConsole *console, MsChannel *channel,
                                   GCancellable *cancellable);
gboolean ms_batch_command_names_device(const MsCommandLine *line);
MsExitStatus ms_batch_command_run(const MsCommandLine *line, MsConsole *console, const char *device, MsChild *worker,
                                  GCancellable *cancellable);
