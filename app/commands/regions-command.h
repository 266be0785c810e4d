/* SPDX-License-Identifier: MIT */
/* --regions: divides one image into regions and writes their picture, labels, modes, outlines and table. */
#pragma once

#include "app/report/console.h"
#include "app/process/exit-status.h"

MsExitStatus ms_regions_command_run(const MsCommandLine *line, MsConsole *console, GCancellable *cancellable);
