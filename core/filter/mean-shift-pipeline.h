/* SPDX-License-Identifier: MIT */
/* Runs the stripes of one image on several queues of one device, so that transfers overlap kernels. */
#pragma once

#include "core/filter/mean-shift-run.h"

GPtrArray *ms_filter_lanes_new(void);
gboolean ms_filter_run_in_lanes(const MsFilterRun *common, GPtrArray *lanes, GError **error);
