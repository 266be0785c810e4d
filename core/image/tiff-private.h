/* SPDX-License-Identifier: MIT */
/* MsTiffReader: a TIFF file that libtiff reads, with what its header says: made by tiff-read.c for tiff-pixels.c. */
#pragma once

#include <tiffio.h>

#include "core/image/colour/colour.h"
#include "core/image/common/image-file.h"

/** MS_TIFF_SMALL_ALLOCATION: bytes that one allocation of libtiff may have beyond those of the image. */
#define MS_TIFF_SMALL_ALLOCATION (64 << 20)

/**
 * MsTiffReader: the state of decoding one file.
 * @samples: a pixel, of which @colours (1, 3, or 4 inks) come first
 * @alpha: the place of the alpha sample, 0 for none
 * @associated: whether colours are stored multiplied by alpha
 * @by_library: whether libtiff decodes all pixels at once: planes, YCbCr, and inks and L*a*b* without @colour
 * @colour: (nullable): from the profile of inks, or from L*a*b*
 * @is_open: whether libtiff has read the directory, and @complaint: (nullable): what it said first until then
 * @reads_rows: whether rows of pixels are being decoded, of which damaged ones may be accepted
 * @block: one stored row or tile, of @block_width by @block_height pixels
 * @row: samples of a row of @block, reduced to 8 bits
 * @tiles: (nullable): the RGBA rows of one row of tiles
 */
typedef struct {
  MsImageFile *file;
  TIFF *tiff;
  guint64 at;
  guint32 width;
  guint32 height;
  guint16 bits;
  guint16 samples;
  guint16 format;
  guint16 planes;
  guint16 photometric;
  guint16 compression;
  guint16 orientation;
  guint16 colours;
  guint16 alpha;
  gboolean associated;
  gboolean by_library;
  MsColour *colour;
  gboolean is_open;
  char *complaint;
  gboolean reads_rows;
  guint16 *palette[3];
  guint32 block_width;
  guint32 block_height;
  guint8 *block;
  guint8 *row;
  guint8 *tiles;
} MsTiffReader;

gboolean ms_tiff_reader_is_lab(const MsTiffReader *self);
gboolean ms_tiff_pixels_begin(MsTiffReader *self);
gboolean ms_tiff_pixels_read(MsTiffReader *self, guint8 *into, int n);
