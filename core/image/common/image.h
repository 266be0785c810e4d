/* SPDX-License-Identifier: MIT */
/* MsImage: an immutable 8UC4 image (R, G, B, A bytes) with its metadata. */
#pragma once

#include <gio/gio.h>

#include "core/image/metadata/metadata.h"

/**
 * MsImageFormat: the formats by number; core/image/codec.c has a row for each.
 * @MS_IMAGE_FORMAT_AUTO: when saving, the format of the file name's extension; as a result, no known format
 * @MS_IMAGE_FORMAT_PNG: Portable Network Graphics
 * @MS_IMAGE_FORMAT_JPEG: JPEG in a JFIF, EXIF or Adobe file
 * @MS_IMAGE_FORMAT_TIFF: Tagged Image File Format, BigTIFF included
 * @MS_IMAGE_FORMAT_WEBP: a still WebP image
 * @MS_IMAGE_FORMAT_PPM: a portable pixmap; read are also greymaps and bitmaps
 * @MS_IMAGE_FORMAT_PAM: a portable arbitrary map of colours or greys, with or without alpha
 * @MS_IMAGE_FORMAT_GIF: the first format of those that are read by modules of gdk-pixbuf, and not written
 */
typedef enum {
  MS_IMAGE_FORMAT_AUTO,
  MS_IMAGE_FORMAT_PNG,
  MS_IMAGE_FORMAT_JPEG,
  MS_IMAGE_FORMAT_TIFF,
  MS_IMAGE_FORMAT_WEBP,
  MS_IMAGE_FORMAT_PPM,
  MS_IMAGE_FORMAT_PAM,
  MS_IMAGE_FORMAT_GIF,
  MS_IMAGE_FORMAT_BMP,
  MS_IMAGE_FORMAT_HEIC,
  MS_IMAGE_FORMAT_AVIF,
  MS_IMAGE_FORMAT_JXL,
  MS_IMAGE_FORMAT_ICO,
  MS_IMAGE_FORMAT_TGA,
} MsImageFormat;

/** MS_IMAGE_FORMAT_DEFAULT: the output format if neither a name nor an option sets one; every build has it. */
#define MS_IMAGE_FORMAT_DEFAULT MS_IMAGE_FORMAT_PNG

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
gpointer ms_image_check_memory(gpointer memory, int width, int height, GError **error);
MsImage *ms_image_new(int width, int height, GBytes *pixels, MsMetadata *metadata);
MsImage *ms_image_new_rows(MsImage *self, int first, int count);
MsImage *ms_image_new_take(int width, int height, guint8 *pixels, MsMetadata *metadata);
int ms_image_get_width(MsImage *self);
int ms_image_get_height(MsImage *self);
gsize ms_image_get_stride(MsImage *self);
gsize ms_image_get_byte_size(MsImage *self);
const guint8 *ms_image_get_pixels(MsImage *self);
GBytes *ms_image_get_bytes(MsImage *self);
MsMetadata *ms_image_get_metadata(MsImage *self);
gboolean ms_image_get_no_data(MsImage *self, guint8 *value);
void ms_image_set_damage(MsImage *self, const char *damage);
const char *ms_image_get_damage(MsImage *self);
MsRegion ms_image_get_extent(MsImage *self);
gboolean ms_image_pixels_are_opaque(const guint8 *pixels, gsize size);
gboolean ms_image_has_transparency(MsImage *self);

/** MsImageDifference: how two pictures of one size differ; alpha counts like the colours. */
typedef struct {
  guint64 mismatched_pixels;
  int max_difference;
} MsImageDifference;

MsImageDifference ms_image_compare(MsImage *a, MsImage *b);
