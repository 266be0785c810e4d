/* SPDX-License-Identifier: MIT */
/* Finds the sets of connected pixels on a device, merges small ones there, and numbers them. */
#pragma once

#include <gio/gio.h>

#include "core/image/common/image.h"
#include "core/opencl/context.h"
#include "core/regions/closeness.h"

G_BEGIN_DECLS

/* Regions of at least so many pixels are merged on the host. */
#define MS_DEVICE_LABELS_MOST_PIXELS 256

/**
 * MsDeviceLabels: what a device finds.
 * @rule: which neighbours are of one region
 * @min_pixels: regions with fewer pixels join a neighbour; up to MS_DEVICE_LABELS_MOST_PIXELS, 0 or 1 for none
 * @group: work-items of the group that merges, or 0 for as many as the device has
 */
typedef struct {
  MsLabelRule rule;
  guint min_pixels;
  guint group;
} MsDeviceLabels;

gboolean ms_device_labels_fit(MsContext *context, gsize n_pixels);
gboolean ms_device_labels_find(MsContext *context, MsImage *filtered, const guint16 *modes, const MsDeviceLabels *about,
                               guint32 *labels, guint32 *count, MsTimingLog *log, GCancellable *cancellable,
                               GError **error);

G_END_DECLS
