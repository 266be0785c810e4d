/* SPDX-License-Identifier: MIT */
/* The processes of the program without a window. */
#pragma once

#include "app/command-line/command-line.h"

MsExitStatus ms_headless_run(const MsCommandLine *line);
