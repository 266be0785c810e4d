/* SPDX-License-Identifier: MIT */
/* The processes of the program without a window. */
#pragma once

#include "app/command-line/command-line.h"

/** ms_output_failed: said, translated, by whatever writes to standard output in vain. */
extern const char ms_output_failed[];

MsExitStatus ms_headless_run(const MsCommandLine *line);
