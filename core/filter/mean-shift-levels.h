/* SPDX-License-Identifier: MIT */
/* MsFilterLevels: runs a plan with pyramid levels, from the coarsest level to the finest, all of it on the device. */
#pragma once

#include "core/filter/mean-shift-run.h"

/** MsFilterLevels: the device memory of the levels above the picture, all zero before the first run. */
typedef struct {
  MsFilterBuffers above[MS_LEVELS_MAX];
} MsFilterLevels;

gboolean ms_filter_levels_run(MsFilterLevels *self, const MsFilterRun *run, GError **error);
void ms_filter_levels_release(MsFilterLevels *self);
