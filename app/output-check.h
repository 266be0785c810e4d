/* SPDX-License-Identifier: MIT */
/* Checks before the run that no file it writes overwrites one that it reads or another one that it writes. */
#pragma once

#include "app/command-line/command-line.h"

gboolean ms_output_check(const MsCommandLine *line, GError **error);
