/* SPDX-License-Identifier: MIT */
/* Finds the sets of connected pixels on a device, merges small ones there, and numbers them. */
#pragma once

#include "core/opencl/context.h"
#include "core/regions/label-request.h"

G_BEGIN_DECLS

/*
 * A device merges regions of fewer pixels than this, up to the number below, so that merging takes about a second at
 * most.
 */
#define MS_DEVICE_LABELS_MOST_PIXELS 256
#define MS_DEVICE_LABELS_MOST_REGIONS (1u << 22)

gboolean ms_device_labels_fit(MsContext *context, gsize n_pixels);
gboolean ms_device_labels_find(MsContext *context, const MsLabelRequest *request, MsLabels *labels, GError **error);

G_END_DECLS
