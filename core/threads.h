/* SPDX-License-Identifier: MIT */
/* Whether this user may start the threads that a run needs: GLib ends the process where one of its own cannot start. */
#pragma once

#include <glib.h>

gboolean ms_threads_check(guint n, GError **error);
gboolean ms_addresses_are_limited(void);
