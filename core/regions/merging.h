/* SPDX-License-Identifier: MIT */
/* Merges regions that are too small with the neighbour nearest in colour. */
#pragma once

#include "core/regions/label-request.h"
#include "core/regions/runs.h"

G_BEGIN_DECLS

guint32 *ms_merge_small_regions(const MsRuns *runs, const MsLabelRequest *request, guint32 *count, GError **error);

G_END_DECLS
