/* SPDX-License-Identifier: MIT */
/* Cancels the run on SIGINT, SIGTERM and SIGHUP, so that finished files stay and no partial file remains. */
#pragma once

#include <gio/gio.h>
#include <signal.h>

void ms_signals_fail_writes(void);
void ms_signals_cancel_on_interrupt(GCancellable *cancellable, gboolean is_watched);
