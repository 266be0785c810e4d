/* SPDX-License-Identifier: MIT */
/* TIFF files of known samples in every layout, written by libtiff, and the pixels that a reader must give for them. */
#pragma once

#include <glib.h>
#include <tiffio.h>

#define SIDE_X 37
#define SIDE_Y 29

/* A file in memory. */
typedef struct {
  GByteArray *bytes;
  gsize at;
} TiffMemory;

/* @extra: kind of the alpha sample, -1 for none; @mode: of TIFFOpen. */
typedef struct {
  const char *mode;
  int photometric;
  int bits;
  int extra;
  int compression;
  gboolean tiled;
  gboolean separate;
} TiffLayout;

TIFF *tiff_memory_open(TiffMemory *self, const char *mode);
void tiff_layout_set(TIFF *tiff, const TiffLayout *layout);
void tiff_layout_write_pixels(TIFF *tiff, const TiffLayout *layout);
GBytes *tiff_layout_write(const TiffLayout *layout);
void tiff_layout_expect(const TiffLayout *layout, int x, int y, guint8 *rgba);
