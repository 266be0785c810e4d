/* SPDX-License-Identifier: MIT */
/* The reader of PNG files: libpng, for which the chunks of pixels may be inflated as a whole. */
#pragma once

#include <png.h>

#include "core/image/common/image-file.h"

/**
 * MsPngTextKind:
 * @MS_PNG_TEXT_OTHER: a chunk that is not read
 * @MS_PNG_TEXT_EXIF: an EXIF block in its own chunk
 * @MS_PNG_TEXT_RAW_EXIF: an EXIF block in hexadecimal digits
 * @MS_PNG_TEXT_XMP: an XMP packet
 * @MS_PNG_TEXT_RAW_XMP: an XMP packet in hexadecimal digits
 */
typedef enum {
  MS_PNG_TEXT_OTHER,
  MS_PNG_TEXT_EXIF,
  MS_PNG_TEXT_RAW_EXIF,
  MS_PNG_TEXT_XMP,
  MS_PNG_TEXT_RAW_XMP,
} MsPngTextKind;

#define MS_PNG_N_TEXTS (MS_PNG_TEXT_RAW_XMP + 1)

/* The largest ratio of deflate, which stores at most 258 bytes in two bits. */
#define MS_PNG_DEFLATE_MOST 1032

/**
 * MsPngInflated: all pixels of a file, which libpng reads as if they were stored without compression.
 * @rows: (nullable): filtered; @size bytes
 * @first_chunk: bytes of the file's first chunk of pixels, whose header libpng has read
 * @end: the offset behind all chunks of pixels in the file
 * @at: how many bytes libpng has taken
 * @header: of a chunk or block, where libpng takes one
 */
typedef struct {
  guint8 *rows;
  gsize size;
  gsize first_chunk;
  guint64 end;
  gsize at;
  guint8 header[12];
} MsPngInflated;

/**
 * MsPngReader: the state of one decoder, kept out of local variables so that nothing leaks when libpng calls longjmp().
 * @passes: over the rows, in which they are decoded
 * @into: where the next @n rows are decoded to
 * @y: how many rows have been read, in all passes
 * @n_frames: of an animation, 0 where there is none; @has_frame: whether the pixels are the first of them
 * @has_damaged_rest: whether a chunk that no pixel depends on has a wrong checksum
 * @texts: (nullable): what chunks hold, the first of each kind
 * @is_lost: whether no further row of a damaged file can be read
 * @damage: what the file's error is about, where it is damage
 */
typedef struct {
  MsImageFile *file;
  png_structp png;
  png_infop info;
  int passes;
  guint8 *into;
  int n;
  guint64 y;
  guint n_frames;
  gboolean has_frame;
  gboolean has_damaged_rest;
  GBytes *texts[MS_PNG_N_TEXTS];
  gboolean is_lost;
  MsPngInflated inflated;
  char damage[MS_IMAGE_MOST_DAMAGE];
} MsPngReader;

void ms_png_reader_keep_text(MsPngReader *self, const char *type, const guint8 *data, gsize size);
gboolean ms_png_reader_find_late_text(MsPngReader *self, gboolean *found);
gboolean ms_png_reader_inflate(MsPngReader *self);
gboolean ms_png_reader_take_inflated(MsPngReader *self, guint8 *buffer, gsize size);
void ms_png_reader_end_inflated(MsPngReader *self);
GBytes *ms_png_text_read(const char *type, const guint8 *data, gsize size, gsize most_bytes);
