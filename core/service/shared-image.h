/* SPDX-License-Identifier: MIT */
/* Images whose pixels are in memory that the process with the device maps, so that they are sent without a copy. */
#pragma once

#include "core/image/common/image.h"

/** MsSharedPixels: shared memory of pixels; reference counted. */
typedef struct _MsSharedPixels MsSharedPixels;

MsSharedPixels *ms_shared_pixels_new(gsize size, GError **error);
MsSharedPixels *ms_shared_pixels_ref(MsSharedPixels *self);
void ms_shared_pixels_unref(MsSharedPixels *self);
int ms_shared_pixels_get_fd(const MsSharedPixels *self);
GBytes *ms_shared_pixels_map(MsSharedPixels *self, GError **error);

MsImage *ms_shared_image_move(MsImage *image);
void ms_shared_image_attach(MsImage *image, MsSharedPixels *pixels);
MsSharedPixels *ms_shared_image_get(MsImage *image, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(MsSharedPixels, ms_shared_pixels_unref)
