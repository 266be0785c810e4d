/* SPDX-License-Identifier: MIT */
/* Resolves `auto` on a tuned device to the stored winner, if the plan accepts it. */
#pragma once

#include "core/filter/settings/options.h"
#include "core/opencl/device.h"
#include "core/reduce/reduce-plan.h"

MsSettings ms_tuned_settings(const MsSettings *settings, MsDevice *device, int width, int height);
gboolean ms_tuned_reduce_options(const MsReduceSpec *spec, MsReduceOptions *options, guint64 n, MsDevice *device);
