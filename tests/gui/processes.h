/* SPDX-License-Identifier: MIT */
/* The processes below this one, for tests that end them. */
#pragma once

#include <glib.h>

GArray *processes_below(GPid pid);
GArray *processes_of_program(GPid pid);
guint processes_count_alive(GArray *pids);
GPid processes_find_program(void);
gboolean processes_are_stopped(GPid pid);
gboolean processes_has_zombie(void);
