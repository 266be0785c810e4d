/* SPDX-License-Identifier: MIT */
/* What the readers of PNG files share: libpng's set-up, errors, limits and metadata. */
#pragma once

#include <png.h>

#include "core/image/png/png-text.h"
#include "core/image/common/row-reader.h"

/**
 * MsPngReader: the state of one decoder, kept out of local variables so that nothing leaks when libpng calls longjmp().
 * @rows: of ms_png_open_rows()
 * @pixels: of the whole image, or of one row
 * @y: how many rows have been read
 * @row: a row of the first pass of an interlaced file
 * @texts: (nullable): what chunks hold, the first of each kind
 * @is_lost: whether no further row of a damaged file can be read
 * @damage: what @error is about, where it is damage
 */
typedef struct {
  MsRowReader rows;
  MsImageSource *source;
  png_structp png;
  png_infop info;
  guint8 *pixels;
  guint32 y;
  guint8 *row;
  GBytes *texts[MS_PNG_N_TEXTS];
  gboolean is_lost;
  MsImage *image;
  GError *error;
  char damage[MS_IMAGE_MOST_DAMAGE];
} MsPngReader;

gboolean ms_png_reader_open(MsPngReader *self);
void ms_png_reader_close(MsPngReader *self);
void ms_png_reader_run(MsPngReader *self, void (*steps)(MsPngReader *self));
void ms_png_reader_stop_if(MsPngReader *self, gboolean failed);
void ms_png_reader_read_header(MsPngReader *self);
void ms_png_reader_keep_text(MsPngReader *self, const char *type, const guint8 *data, gsize size);
int ms_png_reader_get_orientation(MsPngReader *self);
gboolean ms_png_reader_accepts_rows(MsPngReader *self);
MsMetadata *ms_png_reader_get_metadata(MsPngReader *self);
void ms_png_reader_set_transforms(MsPngReader *self);
