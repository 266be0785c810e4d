/* SPDX-License-Identifier: MIT */
/* MsWatchdog: a cancellable that is cancelled with its parent, or when a deadline passes. */
#pragma once

#include <gio/gio.h>

typedef struct _MsWatchdog MsWatchdog;

MsWatchdog *ms_watchdog_new(GCancellable *parent, double seconds);
GCancellable *ms_watchdog_cancellable(MsWatchdog *self);
gboolean ms_watchdog_fired(MsWatchdog *self);
void ms_watchdog_free(MsWatchdog *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(MsWatchdog, ms_watchdog_free)
