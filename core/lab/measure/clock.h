/* SPDX-License-Identifier: MIT */
/* The clock of the host, in nanoseconds. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

guint64 ms_clock_now_ns(void);

G_END_DECLS
