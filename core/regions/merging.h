/* SPDX-License-Identifier: MIT */
/* Merges regions that are too small with the neighbour nearest in colour. */
#pragma once

#include "core/image/common/image.h"
#include "core/regions/runs.h"

G_BEGIN_DECLS

guint32 *ms_merge_small_regions(const MsRuns *runs, MsImage *filtered, guint32 n, guint min_pixels, guint32 *left,
                                GCancellable *cancellable, GError **error);

G_END_DECLS
