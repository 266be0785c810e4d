/* SPDX-License-Identifier: MIT */
/* The program's table of options. */
#pragma once

#include "app/command-line/command-line.h"

extern const MsOptionTable ms_command_options;
