/* SPDX-License-Identifier: MIT */
/* What a pass of kernels took, and which share of the device's measured bandwidth it used. */
#pragma once

#include <gio/gio.h>

#include "core/opencl/context.h"

/** MsTimedPass: @peak_share is 0 where the bandwidth could not be measured. */
typedef struct {
  double kernel_ms;
  double gb_per_s;
  double peak_share;
} MsTimedPass;

MsTimedPass ms_timed_pass_join(MsTimedPass a, MsTimedPass b);
gboolean ms_time_pass(const MsDeviceRun *run, MsTimingLog *own, MsTimedPass *timed, GError **error);
