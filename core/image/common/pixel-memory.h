/* SPDX-License-Identifier: MIT */
/* MsPixelMemory: memory for the pixels of large images, which a freed image leaves to the next one of its size. */
#pragma once

#include "core/image/common/image.h"

typedef struct _MsPixelMemory MsPixelMemory;

MsPixelMemory *ms_pixel_memory_new(void);
void ms_pixel_memory_free(MsPixelMemory *self);
void ms_pixel_memory_set_keeps(MsPixelMemory *self, gboolean keeps);
gsize ms_pixel_memory_kept_bytes(MsPixelMemory *self);
guint8 *ms_pixel_memory_take(MsPixelMemory *self, guint64 width, guint64 height);
MsImage *ms_pixel_memory_image(MsPixelMemory *self, int width, int height, guint8 *pixels, MsMetadata *metadata);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(MsPixelMemory, ms_pixel_memory_free)
