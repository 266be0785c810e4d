/* SPDX-License-Identifier: MIT */
/* Divides --memory-limit between program, device and images, and lets the system refuse memory beyond it. */
#pragma once

#include <glib.h>

guint64 ms_memory_cap_usual(void);
guint64 ms_memory_cap_share(guint64 limit, guint64 runtime);
guint64 ms_memory_cap_needed(guint64 bytes, guint64 runtime);
void ms_memory_cap_prepare(void);
guint64 ms_memory_cap_resident(GPid pid);
void ms_memory_cap_hold(guint64 limit, guint threads);
