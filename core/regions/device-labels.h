/* SPDX-License-Identifier: MIT */
/* Finds and numbers the sets of connected pixels on a device. */
#pragma once

#include "core/image/image.h"
#include "core/opencl/context.h"

G_BEGIN_DECLS

/**
 * MsLabelRule: which two of eight neighbouring pixels are of one region.
 * @spatial: the largest difference of their modes in column and in row
 * @squared_range: the largest squared distance of their colours
 */
typedef struct {
  int spatial;
  int squared_range;
} MsLabelRule;

gboolean ms_device_labels_fit(MsContext *context, gsize n_pixels);
gboolean ms_device_labels_find(MsContext *context, MsImage *filtered, const guint16 *modes, const MsLabelRule *rule,
                               guint32 *labels, guint32 *count, MsTimingLog *log, GError **error);

G_END_DECLS
