/* SPDX-License-Identifier: MIT */
/*
 * What is written must not take the place of what is read, nor of anything else that is written: looked at before
 * anything runs.
 */
#pragma once

#include "app/command-line.h"

G_BEGIN_DECLS

gboolean ms_output_check(const MsCommandLine *line, GError **error);

G_END_DECLS
