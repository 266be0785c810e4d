/* SPDX-License-Identifier: MIT */
/*
 * MsImageFile: an open image file: its bytes, header and decoder, with the limits and steps that all decoders share.
 * core/image/image-io.h opens and reads it.
 */
#pragma once

#include "core/file.h"
#include "core/image/colour/colour.h"
#include "core/image/common/image.h"
#include "core/image/common/pixel-memory.h"
#include "core/image/metadata/orientation.h"
#include "core/language.h"

/** MS_IMAGE_DEFAULT_MAX_PIXELS: one gigapixel, 4 GB as RGBA. */
#define MS_IMAGE_DEFAULT_MAX_PIXELS G_GUINT64_CONSTANT(1000000000)

/**
 * MsImageLimits:
 * @max_pixels: an image with a larger width * height is refused from its header, before any pixel is allocated
 * @max_scans: scans a progressive JPEG may have; a normal one has about ten, a "scan bomb" thousands
 * @max_bytes: bytes that are read from a pipe; 0 for the size of the largest accepted image
 * @decoder_memory: bytes that a process may take that decodes the image; 0 for no limit but one by the image's size
 * @max_metadata: bytes that one ICC profile, EXIF block or other kept chunk may unpack to; a larger one is dropped
 * @accept_damaged: whether a file whose pixels are damaged or end early is loaded as far as it can be read; the rest is
 *   black, or in a JPEG file what its decoder makes of it. TIFF files in planes or converted by libtiff stay refused
 * @to_srgb: whether pixels with a colour profile are converted to sRGB, where they keep their values otherwise
 * @accepts_streams: whether a pipe or device is read, which is only right for what a person named
 * @wait: how long one may give no byte
 */
typedef struct {
  guint64 max_pixels;
  guint max_scans;
  guint64 max_bytes;
  gsize max_metadata;
  guint64 decoder_memory;
  gboolean accept_damaged;
  gboolean to_srgb;
  gboolean accepts_streams;
  MsStreamWait wait;
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
 * @n_images: how many the file holds, where that is known; else 0
 * @has_unread_exif: whether the file holds EXIF data in a form that is not read
 * @has_damaged_rest: whether a part that no pixel depends on is damaged and was left out
 * @has_unread_alpha: whether it holds transparency that is not read
 * @has_unread_channels: whether it holds channels that are neither colour nor transparency
 * @has_unread_place: whether its place on the map is not kept, since the picture is turned upright
 * @has_unread_no_data: whether its value of pixels without data is not kept, since samples are converted
 * @has_plain_cmyk: whether its colours are inks without a profile that can be used, which are converted by a formula
 */
typedef struct {
  MsImageFormat format;
  int width;
  int height;
  int bits;
  gboolean has_more_images;
  guint n_images;
  gboolean has_unread_exif;
  gboolean has_damaged_rest;
  gboolean has_unread_alpha;
  gboolean has_unread_channels;
  gboolean has_unread_place;
  gboolean has_unread_no_data;
  gboolean has_plain_cmyk;
} MsImageHeader;

/**
 * MsImageRows: called on the decoding thread for every row.
 * @done: rows decoded so far; the passes of an interlaced file count one by one
 * @total: rows to decode
 */
typedef void (*MsImageRows)(guint64 done, guint64 total, gpointer data);

typedef struct _MsCodec MsCodec;

/**
 * MsImageFile:
 * @name: the file's name in messages
 * @limits: the limits on the image
 * @cancellable: (nullable): checked for every row or block
 * @fd: a file that can be read at any offset, -1 where @bytes are the file
 * @bytes: (nullable): the whole file where it is in memory
 * @size: bytes of the whole file
 * @codec: the row of its format
 * @header: what the header says
 * @rows: (nullable): called with @rows_data for every row of ms_image_file_load() that has been decoded
 * @damage: what is damaged in a file that was accepted nevertheless; empty for nothing
 * @stored: the size of the pixels that the decoder gives and how they have to be turned; set by its start(), and again
 *   by its last rows() where the end of the file says more, like @raw
 * @raw: (nullable): the metadata as stored in the file
 * @metadata: (nullable): what is saved with rows that are read one by one; valid once reading them has begun, like the
 *   following
 * @colour: (nullable): the conversion of the pixels to sRGB, where the limits ask for it
 * @has_no_data: whether pixels without data are marked by @no_data, which the conversion to sRGB keeps
 * @has_alpha: whether a pixel of the rows may be transparent
 * @row_memory: working memory of the decoder of rows, where it is more than some rows
 * @process_memory: what a process that decodes the image takes beside this one, 0 where there is none
 * @decoder: (nullable): private to the codec
 * @error: (nullable): why the codec's last function failed
 * @scratch: (nullable): where the pixels are, %NULL for ordinary memory; only for formats that are read by rows
 * @row_bytes: of the pixels in @scratch
 * @block: the bytes that follow those read in order; @block_size of them, at @at behind them
 * @buffer: (nullable): their memory, where the file is not in memory
 * @has_rows: whether reading rows one by one has begun, of which @next_row is next
 */
typedef struct {
  char *name;
  MsImageLimits limits;
  GCancellable *cancellable;
  int fd;
  GBytes *bytes;
  guint64 size;
  const MsCodec *codec;
  MsImageHeader header;
  MsImageRows rows;
  gpointer rows_data;
  char damage[MS_IMAGE_MOST_DAMAGE];
  MsStoredPixels stored;
  MsMetadata *raw;
  MsMetadata *metadata;
  MsColour *colour;
  gboolean has_no_data;
  guint8 no_data;
  gboolean has_alpha;
  guint64 row_memory;
  guint64 process_memory;
  gpointer decoder;
  GError *error;
  MsScratchFile *scratch;
  gsize row_bytes;
  const guint8 *block;
  gsize block_size;
  guint64 at;
  guint8 *buffer;
  gboolean has_rows;
  int next_row;
} MsImageFile;

/**
 * MsDecoding: what is decoded.
 * @MS_DECODING_WHOLE: the image, of which all rows are asked for at once
 * @MS_DECODING_ROWS: its rows one by one
 * @MS_DECODING_PREVIEW: about an eighth of its width and height, in less time than the whole
 */
typedef enum {
  MS_DECODING_WHOLE,
  MS_DECODING_ROWS,
  MS_DECODING_PREVIEW,
} MsDecoding;

/**
 * MsImageDecoder: how a format is read. The functions leave their error in the file.
 * @gives_rows: whether files of the format may be decoded row by row, and into temporary files
 * @gives_previews: whether some of them have one
 * @open: reads the header and makes the decoder
 * @start: prepares to decode, by ms_image_file_set_stored(); %FALSE with %MS_ERROR_UNSUPPORTED for a preview or rows
 *   that the file has not
 * @rows: decodes the next rows to RGBA, as they are stored; behind the last one it also reads the rest of the file
 * @close: frees the decoder, also one whose @open failed
 */
typedef struct {
  gboolean gives_rows;
  gboolean gives_previews;
  void (*open)(MsImageFile *file);
  gboolean (*start)(MsImageFile *file, MsDecoding how);
  void (*rows)(MsImageFile *file, guint8 *into, int n);
  void (*close)(MsImageFile *file);
} MsImageDecoder;

MsImageLimits ms_image_limits_default(void);

gboolean ms_image_file_fill_block(MsImageFile *self);
gboolean ms_image_file_read(MsImageFile *self, void *buffer, gsize size, gsize *got);
gssize ms_image_file_read_at(MsImageFile *self, guint64 offset, void *buffer, gsize size);
void ms_image_file_report_rows(const MsImageFile *self, guint64 done, guint64 total);
gboolean ms_image_file_is_cancelled(MsImageFile *self);
gboolean ms_image_file_check_size(MsImageFile *self, guint64 width, guint64 height, guint64 least_bytes);
void ms_image_file_set_header(MsImageFile *self, int width, int height, int orientation, int bits);
gboolean ms_image_file_accepts(MsImageFile *self, const char *damage);
gboolean ms_image_file_fail_short(MsImageFile *self);
gboolean ms_image_file_fail_memory(MsImageFile *self);
void ms_image_file_convert(MsImageFile *self, const MsColour *colour, guint8 *pixels, gsize n);
void ms_image_file_set_stored(MsImageFile *self, int width, int height, int orientation, MsMetadata *raw);
gboolean ms_image_file_refuse_rows(MsImageFile *self, const char *why);
gboolean ms_image_file_refuse_preview(MsImageFile *self);
gboolean ms_image_file_begin_rows(MsImageFile *self);
void ms_image_file_blacken(guint8 *pixels, guint64 n);
guint8 *ms_image_file_alloc_pixels(MsImageFile *self, guint64 width, guint64 height);
void ms_image_file_free_pixels(MsImageFile *self, guint8 *pixels);
MsImage *ms_image_file_finish(MsImageFile *self, guint8 *pixels);
