/* SPDX-License-Identifier: MIT */
/* What the readers of JPEG files share: libjpeg's input, errors, limits and the rows as RGBA. */
#pragma once

#include <setjmp.h>
#include <stdio.h>

#include <jpeglib.h>

#include "core/image/jpeg/jpeg-coefficients.h"
#include "core/image/common/row-reader.h"

/**
 * MsJpegReader: the state of one decoder, kept out of local variables so that nothing leaks when an error calls
 * longjmp().
 * @rows: of ms_jpeg_open_rows()
 * @header_bytes: bytes read so far, which are limited while @in_header
 * @reduction: of width and height: 1, or 8 for a preview
 * @row: where a reader by rows writes the next one
 */
typedef struct {
  MsRowReader rows;
  struct jpeg_decompress_struct cinfo;
  struct jpeg_error_mgr errors;
  MsJpegInput input;
  struct jpeg_progress_mgr progress;
  jmp_buf jump;
  MsImageSource *source;
  guint64 header_bytes;
  gboolean in_header;
  guint reduction;
  guint8 *pixels;
  guint8 *row;
  gboolean is_cmyk;
  MsMetadata *metadata;
  MsImage *image;
  GError *error;
  guint8 buffer[64 << 10];
} MsJpegReader;

MsJpegReader *ms_jpeg_reader_new(MsImageSource *source);
void ms_jpeg_reader_free(MsJpegReader *self);
void ms_jpeg_reader_run(MsJpegReader *self, void (*steps)(MsJpegReader *self));
void ms_jpeg_reader_stop(MsJpegReader *self) G_GNUC_NORETURN;
void ms_jpeg_reader_stop_if(MsJpegReader *self, gboolean failed);
int ms_jpeg_reader_get_orientation(MsJpegReader *self);
void ms_jpeg_reader_read_header(MsJpegReader *self);
void ms_jpeg_reader_start_rows(MsJpegReader *self);
void ms_jpeg_reader_read_row(MsJpegReader *self, guint8 *row);
