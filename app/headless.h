/* SPDX-License-Identifier: MIT */
/* Runs the program without a window. */
#pragma once

#include "app/command-line/command-line.h"
#include "app/process/exit-status.h"

G_BEGIN_DECLS

MsExitStatus ms_headless_run(const MsCommandLine *line);

G_END_DECLS
