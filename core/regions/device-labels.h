/* SPDX-License-Identifier: MIT */
/* Finds the sets of connected pixels on a device, merges small ones there, and numbers them. */
#pragma once

#include <gio/gio.h>

#include "core/image/common/image.h"
#include "core/opencl/context.h"
#include "core/regions/closeness.h"

G_BEGIN_DECLS

/*
 * A device merges regions of fewer pixels than this, up to the number below, so that merging takes about a second at
 * most.
 */
#define MS_DEVICE_LABELS_MOST_PIXELS 256
#define MS_DEVICE_LABELS_MOST_REGIONS (1u << 22)

/**
 * MsDeviceLabels: the parameters of labelling and merging on a device.
 * @rule: which neighbours are of one region
 * @min_pixels: regions with fewer pixels join a neighbour; 0 or 1 for none
 * @group: work-items of the group that merges, or 0 for as many as the device has
 * @most_regions: more regions than this are not merged; 0 for MS_DEVICE_LABELS_MOST_REGIONS
 */
typedef struct {
  MsLabelRule rule;
  guint min_pixels;
  guint group;
  guint most_regions;
} MsDeviceLabels;

gboolean ms_device_labels_fit(MsContext *context, gsize n_pixels);
gboolean ms_device_labels_find(MsContext *context, MsImage *filtered, const guint16 *modes, const MsDeviceLabels *about,
                               guint32 *labels, guint32 *count, gboolean *merged, MsTimingLog *log,
                               GCancellable *cancellable, GError **error);

G_END_DECLS
