/* SPDX-License-Identifier: MIT */
/* The clock of the host, in nanoseconds. */
#pragma once

#include <glib.h>

guint64 ms_clock_now_ns(void);
