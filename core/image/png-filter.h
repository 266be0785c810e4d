/* SPDX-License-Identifier: MIT */
/* Filters rows of pixels for PNG's compressor and chooses the filter of each row. */
#pragma once

#include <glib.h>

/**
 * MsPngRows: rows of 8-bit RGBA pixels that are stored with @samples (3 or 4) bytes a pixel.
 * @above: (nullable): the row above the first
 */
typedef struct {
  const guint8 *pixels;
  const guint8 *above;
  gsize width;
  gsize height;
  guint samples;
} MsPngRows;

gsize ms_png_rows_stride(const MsPngRows *self);
void ms_png_rows_filter(const MsPngRows *self, guint8 *out);
