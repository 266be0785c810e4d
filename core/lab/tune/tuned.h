/* SPDX-License-Identifier: MIT */
/* What `auto` means on a device that was tuned. */
#pragma once

#include "core/filter/options.h"
#include "core/opencl/device.h"
#include "core/reduce/reduce-plan.h"

G_BEGIN_DECLS

MsSettings ms_lab_tuned_settings(const MsSettings *factors, MsDevice *device, int width, int height);
gboolean ms_lab_tuned_reduce_options(const MsReduceSpec *spec, MsReduceOptions *options, guint64 n, MsDevice *device);

G_END_DECLS
