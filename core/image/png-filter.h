/* SPDX-License-Identifier: MIT */
/*
 * Filters rows of pixels for PNG's compressor and chooses the filter of each row; and turns filtered rows back into
 * RGBA pixels.
 */
#pragma once

#include <glib.h>

/** MsPngRows: rows of 8-bit RGBA pixels that are stored with @samples (3 or 4) bytes a pixel. */
typedef struct {
  const guint8 *pixels;
  gsize width;
  gsize height;
  guint samples;
} MsPngRows;

gsize ms_png_rows_stride(const MsPngRows *self);
void ms_png_rows_filter(const MsPngRows *self, gsize first, gsize n, guint8 *out);

/* Bytes behind the last row that ms_png_unfilter_row() may read. */
#define MS_PNG_UNFILTER_SLACK 4

void ms_png_unfilter_row(guint8 *row, const guint8 *above, guint samples, gsize width);
void ms_png_expand_row(const guint8 *row, guint samples, gsize width, guint8 *out);
