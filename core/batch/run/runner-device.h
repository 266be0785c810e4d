/* SPDX-License-Identifier: MIT */
/* The threads of a run that drive the device: the calling one, and one for each further lane. */
#pragma once

#include "core/batch/run/runner-private.h"

void ms_runner_work_on_device(MsRunner *self, MsEngine *engine, gboolean first_lane);
GPtrArray *ms_runner_start_further_lanes(MsRunner *self, MsEngine *engine);
