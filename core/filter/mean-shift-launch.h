/* SPDX-License-Identifier: MIT */
/* MsFilterLaunch: the kernels of a plan, ready to be launched over a stripe or a band. */
#pragma once

#include "core/filter/plan/bands.h"
#include "core/filter/mean-shift-buffers.h"

/**
 * MsFilterLaunch:
 * @log: (nullable): gets a row for the build and one for each launch
 * @stripe: rows of the result that the buffers hold now
 * @held: the rows of the image that they need
 * @band: rows of the result that are launched together
 */
typedef struct {
  MsContext *context;
  const MsPlan *plan;
  MsFilterBuffers *buffers;
  MsTimingLog *log;
  cl_kernel kernels[MS_PLAN_MAX_PASSES];
  MsRows stripe;
  MsRows held;
  MsRows band;
} MsFilterLaunch;

gboolean ms_filter_launch_create_kernels(MsFilterLaunch *self, GError **error);
void ms_filter_launch_release_kernels(MsFilterLaunch *self);
gboolean ms_filter_launch_grid(MsFilterLaunch *self, MsGrid grid, GError **error);
