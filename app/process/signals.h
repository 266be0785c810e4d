/* SPDX-License-Identifier: MIT */
/* Turns SIGINT, SIGTERM and SIGHUP into cancellation, so that finished files stay and no partial file is left. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

void ms_signals_cancel_on_interrupt(GCancellable *cancellable);

G_END_DECLS
