/* SPDX-License-Identifier: MIT */
/* Leaves pixels without data out of regions: they get label 0, and the regions that they would form vanish. */
#pragma once

#include "core/filter/no-data.h"
#include "core/regions/segment-table.h"

void ms_left_out_drop(const MsNoData *no_data, MsSegmentation *segmentation, MsSegmentTable *table);
