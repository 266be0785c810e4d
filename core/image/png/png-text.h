/* SPDX-License-Identifier: MIT */
/* Walks over the chunks of a PNG file, and reads the EXIF block or XMP packet that one of them holds. */
#pragma once

#include "core/image/common/image-source.h"

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

/**
 * MsPngChunk: a chunk of a file; all zeros before the first.
 * @at: the offset of its content in the file
 * @size: bytes of its content, which its checksum of four bytes follows
 * @type: its name
 */
typedef struct {
  guint64 at;
  guint32 size;
  char type[5];
} MsPngChunk;

/** MS_PNG_TEXT_MOST_KEYWORD: bytes of a keyword of the format, with the NUL byte at its end. */
#define MS_PNG_TEXT_MOST_KEYWORD 80

gboolean ms_png_chunk_next(MsPngChunk *self, MsImageSource *source, GError **error);
MsPngTextKind ms_png_text_kind(const char *type, const guint8 *data, gsize size);
GBytes *ms_png_text_read(const char *type, const guint8 *data, gsize size, gsize most_bytes);
