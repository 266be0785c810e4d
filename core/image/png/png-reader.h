/* SPDX-License-Identifier: MIT */
/* What the readers of PNG files share: libpng's set-up, errors, limits and metadata. */
#pragma once

#include <png.h>

#include "core/image/png/png-whole.h"
#include "core/image/common/row-reader.h"

G_BEGIN_DECLS

/**
 * MsPngReader: the state of one decoder, kept out of local variables so that nothing leaks when libpng calls longjmp().
 * @rows: of ms_png_open_rows()
 * @whole: (nullable): the rows, inflated beforehand
 * @pixels: of the whole image, or of one row
 * @y: the next row of a reader by rows
 * @row: a row of the first pass of an interlaced file
 */
typedef struct {
  MsRowReader rows;
  MsImageSource *source;
  MsPngWhole *whole;
  png_structp png;
  png_infop info;
  guint8 *pixels;
  guint32 y;
  guint8 *row;
  MsImage *image;
  GError *error;
} MsPngReader;

gboolean ms_png_reader_open(MsPngReader *self);
void ms_png_reader_close(MsPngReader *self);
void ms_png_reader_run(MsPngReader *self, void (*steps)(MsPngReader *self));
void ms_png_reader_stop_if(MsPngReader *self, gboolean failed);
void ms_png_reader_read_header(MsPngReader *self);
GBytes *ms_png_reader_get_exif(MsPngReader *self);
MsMetadata *ms_png_reader_get_metadata(MsPngReader *self);
void ms_png_reader_set_transforms(MsPngReader *self);

G_END_DECLS
