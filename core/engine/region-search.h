/* SPDX-License-Identifier: MIT */
/* MsRegionSearch: from a picture to its regions and their table, for command, window and library. */
#pragma once

#include "core/engine/engine.h"
#include "core/regions/region-plan.h"
#include "core/regions/segment-table.h"

/**
 * MsRegionSearch: the inputs, and from @filtered on the outputs, which ms_region_search_clear() frees.
 * @job: source, settings, progress, log and cancellable of the filter
 * @plan: the bytes to give back to the budget of @options when its memory is freed; all 0 without a budget
 * @keeps_modes: whether @modes are kept; otherwise they may stay on the device, and are freed early
 * @keeps_filtered: the same of @filtered, with @keeps_modes
 * @filtered, @modes: (inout) (nullable): where both are given, nothing is filtered
 * @no_data: (nullable): pixels that belong to no region; ms_left_out_drop() takes them out of @segmentation and @table
 */
typedef struct {
  MsEngine *engine;
  MsJob *job;
  MsRegionOptions options;
  MsRegionPlan plan;
  gboolean keeps_modes;
  gboolean keeps_filtered;
  MsImage *filtered;
  guint16 *modes;
  MsNoData *no_data;
  MsSegmentation *segmentation;
  MsSegmentTable *table;
} MsRegionSearch;

gboolean ms_region_search_run(MsRegionSearch *self, GError **error);
void ms_region_search_clear(MsRegionSearch *self);
