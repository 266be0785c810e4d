/* SPDX-License-Identifier: MIT */
/* Finds the sets of connected pixels on a device, and numbers them. */
#pragma once

#include "core/opencl/context.h"
#include "core/regions/label-request.h"

gboolean ms_device_labels_fit(MsContext *context, gsize n_pixels);
gboolean ms_device_labels_find(MsContext *context, const MsLabelRequest *request, MsLabels *labels, GError **error);
