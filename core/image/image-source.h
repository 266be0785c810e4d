/* SPDX-License-Identifier: MIT */
/* What the PNG and the JPEG codec share: formats, limits, save options, and where bytes come from and go to. */
#pragma once

#include "core/image/image.h"

G_BEGIN_DECLS

/** MS_IMAGE_DEFAULT_MAX_PIXELS: one gigapixel, 4 GB as RGBA. */
#define MS_IMAGE_DEFAULT_MAX_PIXELS G_GUINT64_CONSTANT(1000000000)

/**
 * MsImageFormat:
 * @MS_IMAGE_FORMAT_AUTO: when saving: told by the extension; when sniffing: neither of the two
 * @MS_IMAGE_FORMAT_PNG: Portable Network Graphics
 * @MS_IMAGE_FORMAT_JPEG: JPEG in a JFIF, EXIF or Adobe file
 */
typedef enum {
  MS_IMAGE_FORMAT_AUTO,
  MS_IMAGE_FORMAT_PNG,
  MS_IMAGE_FORMAT_JPEG,
} MsImageFormat;

/**
 * MsImageLimits:
 * @max_pixels: width * height above this is refused from the header, before any pixel is allocated
 * @max_scans: scans a progressive JPEG may have; a normal one has about ten, a "scan bomb" thousands
 * @max_metadata: bytes one ICC profile, EXIF block or other kept chunk may unpack to; a larger one is left behind
 */
typedef struct {
  guint64 max_pixels;
  guint max_scans;
  gsize max_metadata;
} MsImageLimits;

/**
 * MsSaveOptions:
 * @format: AUTO takes it from the extension of the path
 * @quality: JPEG, 1 to 100; from 90 on the colours are not subsampled
 * @compression: PNG, the zlib level 0 to 9
 * @overwrite: whether a file of that name is replaced; otherwise it is left alone and the save fails
 */
typedef struct {
  MsImageFormat format;
  int quality;
  int compression;
  gboolean overwrite;
} MsSaveOptions;

/**
 * MsSaveNotes: what the file format could not hold, for the caller to tell.
 * @alpha_flattened: the picture was laid on white, JPEG has no transparency
 * @icc_dropped: the profile is larger than the format allows, or broken
 * @exif_dropped: the EXIF block is larger than the format allows
 */
typedef struct {
  gboolean alpha_flattened;
  gboolean icc_dropped;
  gboolean exif_dropped;
} MsSaveNotes;

/** MsImageHeader: what the first bytes of a file say; @width and @height are those of the upright picture. */
typedef struct {
  MsImageFormat format;
  int width;
  int height;
} MsImageHeader;

/** MsImageSource: the bytes of one file; @size is that of the whole file. */
typedef struct {
  const char *name;
  GInputStream *stream;
  guint64 size;
  const MsImageLimits *limits;
  GCancellable *cancellable;
} MsImageSource;

/** MsImageSink: takes the bytes of one file; @write returns FALSE with @error set when it cannot. */
typedef struct _MsImageSink MsImageSink;
struct _MsImageSink {
  const char *name;
  gboolean (*write)(MsImageSink *self, const void *data, gsize size, GError **error);
  gpointer target;
  GCancellable *cancellable;
};

MsImageLimits ms_image_limits_default(void);
MsSaveOptions ms_save_options_default(void);

gboolean ms_image_source_read(MsImageSource *self, void *buffer, gsize size, gsize *got, GError **error);
gboolean ms_image_source_check_size(MsImageSource *self, guint64 width, guint64 height, guint64 least_bytes,
                                    GError **error);
guint8 *ms_image_source_alloc_pixels(MsImageSource *self, guint64 width, guint64 height, GError **error);
MsImage *ms_image_source_finish(MsImageSource *self, guint8 *pixels, int width, int height, MsMetadata *raw,
                                GError **error);

G_END_DECLS
