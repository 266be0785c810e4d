/* SPDX-License-Identifier: MIT */
/* Reads the EXIF block or XMP packet that a text chunk of a PNG file holds. */
#pragma once

#include <glib.h>

/**
 * MsPngTextKind:
 * @MS_PNG_TEXT_OTHER: a text that is not read
 * @MS_PNG_TEXT_EXIF: an EXIF block, in hexadecimal digits
 * @MS_PNG_TEXT_XMP: an XMP packet
 * @MS_PNG_TEXT_RAW_XMP: an XMP packet in hexadecimal digits
 */
typedef enum {
  MS_PNG_TEXT_OTHER,
  MS_PNG_TEXT_EXIF,
  MS_PNG_TEXT_XMP,
  MS_PNG_TEXT_RAW_XMP,
} MsPngTextKind;

/** MS_PNG_TEXT_MOST_KEYWORD: bytes of a keyword of the format, with the NUL byte at its end. */
#define MS_PNG_TEXT_MOST_KEYWORD 80

MsPngTextKind ms_png_text_kind(const char *type, const guint8 *data, gsize size);
GBytes *ms_png_text_read(const char *type, const guint8 *data, gsize size, gsize most_bytes);
