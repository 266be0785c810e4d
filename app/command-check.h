/* SPDX-License-Identifier: MIT */
/* Checks that the options of a command line go together; every refusal names the option and what to do. */
#pragma once

#include "app/command-line.h"

G_BEGIN_DECLS

gboolean ms_command_line_check(const MsCommandLine *self, GError **error);

G_END_DECLS
