/* SPDX-License-Identifier: MIT */
/* Finds and numbers the sets of connected pixels on the host's processors, run by run. */
#pragma once

#include <gio/gio.h>

#include "core/regions/closeness.h"
#include "core/regions/runs.h"

G_BEGIN_DECLS

guint64 ms_linked_runs_bytes(const MsCloseness *closeness, int n_parts);
MsRuns *ms_linked_runs_new(const MsCloseness *closeness, int n_parts, guint32 *count, GCancellable *cancellable,
                           GError **error);

G_END_DECLS
