/* SPDX-License-Identifier: MIT */
/* --merge-manifests: joins the manifests of several processes into one report, and lists the images not done. */
#pragma once

#include "app/command-line/command-line.h"
#include "app/report/console.h"
#include "app/process/exit-status.h"

MsExitStatus ms_merge_command_run(const MsCommandLine *line, MsConsole *console);
