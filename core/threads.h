/* SPDX-License-Identifier: MIT */
/*
 * Limits that the system sets: whether this user may start the threads that a run needs, since GLib ends the process
 * where one of its own cannot start, and how many addresses a process may use.
 */
#pragma once

#include <glib.h>

gboolean ms_threads_check(guint n, GError **error);
guint64 ms_address_limit(void);
