/* SPDX-License-Identifier: MIT */
/* Checks the combination of options on a command line; every error names the option and a remedy. */
#pragma once

#include "app/command-line/command-line.h"

gboolean ms_command_line_check(const MsCommandLine *self, GError **error);
