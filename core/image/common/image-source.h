/* SPDX-License-Identifier: MIT */
/* MsImageSource: the bytes of one image file, with the limits and the steps that all decoders share. */
#pragma once

#include "core/image/file/scratch-file.h"
#include "core/image/common/image-format.h"
#include "core/image/common/image.h"
#include "core/image/metadata/orientation.h"
#include "core/language.h"

/** MS_IMAGE_DEFAULT_MAX_PIXELS: one gigapixel, 4 GB as RGBA. */
#define MS_IMAGE_DEFAULT_MAX_PIXELS G_GUINT64_CONSTANT(1000000000)

/**
 * MsImageLimits:
 * @max_pixels: an image with a larger width * height is refused from its header, before any pixel is allocated
 * @max_scans: scans a progressive JPEG may have; a normal one has about ten, a "scan bomb" thousands
 * @max_bytes: bytes that are read from a pipe; 0 for the size of the largest accepted image
 * @max_metadata: bytes that one ICC profile, EXIF block or other kept chunk may unpack to; a larger one is dropped
 * @accept_damaged: whether a file whose pixels are damaged or end early is loaded as far as it can be read; the rest is
 *   black, or in a JPEG file what its decoder makes of it. TIFF files in planes or converted by libtiff stay refused
 */
typedef struct {
  guint64 max_pixels;
  guint max_scans;
  guint64 max_bytes;
  gsize max_metadata;
  gboolean accept_damaged;
} MsImageLimits;

/** MS_IMAGE_MOST_DAMAGE: bytes of the words that describe damage, with the NUL byte at their end. */
#define MS_IMAGE_MOST_DAMAGE 160

/**
 * MsImageHeader: the contents of the header of a file.
 * @format: the format of the file
 * @width: pixels in a row of the upright image
 * @height: rows of the upright image
 * @bits: bits a sample; more than 8 are reduced to 8 when the image is loaded
 * @has_more_images: whether the file holds further images or pages, which are not read
 * @has_unread_exif: whether the file holds EXIF data in a form that is not read
 */
typedef struct {
  MsImageFormat format;
  int width;
  int height;
  int bits;
  gboolean has_more_images;
  gboolean has_unread_exif;
} MsImageHeader;

/**
 * MsImageRows: called on the decoding thread for every row.
 * @done: rows decoded so far; the passes of an interlaced file count one by one
 * @total: rows to decode
 */
typedef void (*MsImageRows)(guint64 done, guint64 total, gpointer data);

/** MsRowReport: @rows: (nullable): called with @data */
typedef struct {
  MsImageRows rows;
  gpointer data;
} MsRowReport;

/**
 * MsImageSource:
 * @name: the file's name in messages
 * @stream: the bytes in order
 * @size: bytes of the whole file; %G_MAXUINT64 when unknown
 * @limits: the limits on the image
 * @cancellable: (nullable): checked for every row or block
 * @fd: a file that can be read at any offset, -1 when there is none
 * @bytes: (nullable): the whole file where there is no @fd
 * @report: called for every row that has been decoded
 * @scratch: (nullable): where the pixels are, %NULL for ordinary memory; only for formats that are read by rows
 * @row_bytes: of the pixels in @scratch
 * @damage: what is damaged in a file that was accepted nevertheless; empty for nothing
 */
typedef struct {
  const char *name;
  GInputStream *stream;
  guint64 size;
  const MsImageLimits *limits;
  GCancellable *cancellable;
  int fd;
  GBytes *bytes;
  MsRowReport report;
  MsScratchFile *scratch;
  gsize row_bytes;
  char damage[MS_IMAGE_MOST_DAMAGE];
} MsImageSource;

MsImageLimits ms_image_limits_default(void);
char *ms_image_header_describe_losses(const MsImageHeader *self, const char *name, MsLanguage language);

MsImageSource ms_image_source_of_bytes(GBytes *bytes, const char *name, GInputStream *stream,
                                       const MsImageLimits *limits);
void ms_image_source_report_rows(const MsImageSource *self, guint64 done, guint64 total);
gboolean ms_image_source_read(MsImageSource *self, void *buffer, gsize size, gsize *got, GError **error);
gssize ms_image_source_read_at(MsImageSource *self, guint64 offset, void *buffer, gsize size, GError **error);
gboolean ms_image_source_check_size(MsImageSource *self, guint64 width, guint64 height, guint64 least_bytes,
                                    GError **error);
void ms_image_source_blacken(guint8 *pixels, guint64 n);
gboolean ms_image_source_accepts(MsImageSource *self, const char *damage);
int ms_image_source_get_orientation(GBytes *exif, GBytes *xmp);
guint8 *ms_image_source_alloc_pixels(MsImageSource *self, guint64 width, guint64 height, GError **error);
void ms_image_source_free_pixels(MsImageSource *self, guint8 *pixels);
MsMetadata *ms_image_source_upright_metadata(MsMetadata *raw, int orientation, int *applied);
MsImage *ms_image_source_finish(MsImageSource *self, MsStoredPixels stored, MsMetadata *raw, GError **error);
