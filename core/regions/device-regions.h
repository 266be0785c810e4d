/* SPDX-License-Identifier: MIT */
/* Finds the regions of a picture by kernels. */
#pragma once

#include "core/opencl/context.h"
#include "core/regions/label-request.h"

gboolean ms_device_regions_fit(MsContext *context, gsize n_pixels);
cl_mem ms_device_regions_find(MsContext *context, const MsLabelRequest *request, MsLabels *labels, GError **error);
