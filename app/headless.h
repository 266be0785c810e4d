/* SPDX-License-Identifier: MIT */
/* Runs the program without a window. */
#pragma once

#include "app/command-line/command-line.h"
#include "app/process/exit-status.h"

MsExitStatus ms_headless_run(const MsCommandLine *line);
