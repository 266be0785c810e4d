/* SPDX-License-Identifier: MIT */
/* Finds and numbers the sets of connected pixels on a device. */
#pragma once

#include "core/image/common/image.h"
#include "core/opencl/context.h"
#include "core/regions/closeness.h"

G_BEGIN_DECLS

gboolean ms_device_labels_fit(MsContext *context, gsize n_pixels);
gboolean ms_device_labels_find(MsContext *context, MsImage *filtered, const guint16 *modes, const MsLabelRule *rule,
                               guint32 *labels, guint32 *count, MsTimingLog *log, GError **error);

G_END_DECLS
