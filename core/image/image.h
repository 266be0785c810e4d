/* SPDX-License-Identifier: MIT */
/* MsImage: an immutable 8UC4 image (R, G, B, A bytes) with its metadata. */
#pragma once

#include <gio/gio.h>

#include "core/image/metadata/metadata.h"

G_BEGIN_DECLS

#define MS_TYPE_IMAGE (ms_image_get_type())
G_DECLARE_FINAL_TYPE(MsImage, ms_image, MS, IMAGE, GObject)

/** MsRegion: a rectangle of pixels, @x and @y counted from the top left. */
typedef struct {
  int x;
  int y;
  int width;
  int height;
} MsRegion;

guint8 *ms_image_try_alloc_pixels(guint64 width, guint64 height);
MsImage *ms_image_new(int width, int height, GBytes *pixels, MsMetadata *metadata);
MsImage *ms_image_new_take(int width, int height, guint8 *pixels, MsMetadata *metadata);
int ms_image_get_width(MsImage *self);
int ms_image_get_height(MsImage *self);
gsize ms_image_get_stride(MsImage *self);
gsize ms_image_get_byte_size(MsImage *self);
const guint8 *ms_image_get_pixels(MsImage *self);
GBytes *ms_image_get_bytes(MsImage *self);
MsMetadata *ms_image_get_metadata(MsImage *self);
MsRegion ms_image_get_extent(MsImage *self);
gboolean ms_image_has_transparency(MsImage *self);

/** MsImageDifference: how two pictures of one size differ; alpha counts like the colours. */
typedef struct {
  guint64 mismatched_pixels;
  int max_difference;
} MsImageDifference;

MsImageDifference ms_image_compare(MsImage *a, MsImage *b);

G_END_DECLS
