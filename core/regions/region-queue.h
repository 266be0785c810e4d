/* SPDX-License-Identifier: MIT */
/* MsRegionQueue: the regions below the least size, in ascending order of (pixels, label). */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _MsRegionQueue MsRegionQueue;

MsRegionQueue *ms_region_queue_new(const guint32 *pixels, guint32 n, guint min_pixels);
void ms_region_queue_free(MsRegionQueue *self);
void ms_region_queue_push(MsRegionQueue *self, guint32 label, guint32 pixels);
gboolean ms_region_queue_pop(MsRegionQueue *self, guint32 *label, guint32 *pixels);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(MsRegionQueue, ms_region_queue_free)

G_END_DECLS
