/* SPDX-License-Identifier: MIT */
#include "core/image/jpeg-read.h"

#include <glib/gi18n-lib.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>
#include <jerror.h>

#include "core/error.h"
#include "core/image/metadata/exif.h"
#include "core/image/jpeg/jpeg-coefficients.h"
#include "core/image/jpeg-metadata.h"
#include "core/image/jpeg-write.h"
#include "core/image/metadata/orientation.h"

#define BUFFER_SIZE 65536

/*
 * Most bytes before the first scan: enough for the largest profile (16 MiB), and a limit for a file of endless headers.
 */
#define MOST_HEADER (G_GUINT64_CONSTANT(64) << 20)

/* The state of one decoder, kept out of local variables so that nothing leaks when an error calls longjmp(). */
typedef struct {
  MsRowReader rows; /* of ms_jpeg_open_rows() */
  struct jpeg_decompress_struct cinfo;
  struct jpeg_error_mgr errors;
  MsJpegInput input;
  struct jpeg_progress_mgr progress;
  jmp_buf jump;
  MsImageSource *source;
  guint64 header_bytes;
  gboolean in_header;
  guint reduction; /* of width and height: 1, or 8 for a preview */
  guint8 *pixels;
  guint8 *row; /* where a reader by rows writes the next one */
  gboolean is_cmyk;
  MsMetadata *metadata;
  MsImage *image;
  GError *error;
  guint8 buffer[BUFFER_SIZE];
} JpegReader;

static G_GNUC_NORETURN void
stop(JpegReader *self)
{
  longjmp(self->jump, 1);
}

static void
stop_if(JpegReader *self, gboolean failed)
{
  if (failed)
    stop(self);
}

static G_GNUC_NORETURN void
stop_damaged(JpegReader *self)
{
  char message[JMSG_LENGTH_MAX];

  self->errors.format_message((j_common_ptr)&self->cinfo, message);
  ms_set_error(&self->error, MS_ERROR_FORMAT, "'%s' is a damaged JPEG file (%s); get a fresh copy of it.",
               self->source->name, message);
  stop(self);
}

static G_GNUC_NORETURN void
on_error(j_common_ptr cinfo)
{
  JpegReader *self = cinfo->client_data;
  const char *name = self->source->name;

  switch (self->errors.msg_code) {
  case JERR_OUT_OF_MEMORY:
    if (self->input.error) {
      self->error = g_steal_pointer(&self->input.error);
      stop(self);
    }
    ms_set_error(&self->error, MS_ERROR_MEMORY,
                 "Not enough memory to read '%s'; close other programs or scale it down.", name);
    stop(self);
  case JERR_IMAGE_TOO_BIG:
    ms_set_error(&self->error, MS_ERROR_TOO_LARGE,
                 "'%s' is too large: a JPEG file can have %d pixels a side at most; scale it down.", name,
                 MS_JPEG_MOST_SIDE);
    stop(self);
  case JERR_SOF_UNSUPPORTED:
  case JERR_BAD_PRECISION:
  case JERR_CONVERSION_NOTIMPL:
    ms_set_error(&self->error, MS_ERROR_FORMAT,
                 "'%s' is of a rare kind of JPEG that cannot be read (lossless, 12 bits, or no known "
                 "colours); convert it to PNG.",
                 name);
    stop(self);
  default:
    stop_damaged(self);
  }
}

/*
 * Whether a warning means that pixels are missing or wrong. Harmless are extra bytes between segments, an unusual order
 * of scans, unknown versions, broken profiles, and a refining scan of a progressive file that ends early, which costs
 * only detail.
 */
static gboolean
is_damage(JpegReader *self)
{
  struct jpeg_decompress_struct *cinfo = &self->cinfo;

  switch (self->errors.msg_code) {
  case JWRN_HUFF_BAD_CODE:
  case JWRN_ARITH_BAD_CODE:
  case JWRN_MUST_RESYNC:
  case JWRN_JPEG_EOF:
    return TRUE;
  case JWRN_HIT_MARKER:
    return !cinfo->progressive_mode || (cinfo->Ss == 0 && cinfo->Ah == 0);
  default:
    return FALSE;
  }
}

static void
on_message(j_common_ptr cinfo, int level)
{
  JpegReader *self = cinfo->client_data;

  if (level < 0 && is_damage(self))
    stop_damaged(self);
}

static void
on_progress(j_common_ptr cinfo)
{
  JpegReader *self = cinfo->client_data;

  stop_if(self, g_cancellable_set_error_if_cancelled(self->source->cancellable, &self->error));
  if (self->cinfo.input_scan_number <= (int)self->source->limits->max_scans)
    return;
  ms_set_error(&self->error, MS_ERROR_TOO_LARGE,
               "'%s' has more than %u scans, far more than any picture needs; save it again with another program.",
               self->source->name, self->source->limits->max_scans);
  stop(self);
}

static void
on_input_start(j_decompress_ptr cinfo)
{
}

static boolean
on_input_fill(j_decompress_ptr cinfo)
{
  JpegReader *self = cinfo->client_data;
  gsize got = 0;

  stop_if(self, !ms_image_source_read(self->source, self->buffer, BUFFER_SIZE, &got, &self->error));
  if (got == 0) {
    ms_set_error(&self->error, MS_ERROR_FORMAT,
                 "'%s' is damaged: the file ends before the picture does; get a fresh copy of it.", self->source->name);
    stop(self);
  }
  self->header_bytes += got;
  if (self->in_header && self->header_bytes > MOST_HEADER) {
    ms_set_error(&self->error, MS_ERROR_TOO_LARGE,
                 "'%s' has more than 64 MiB before its pixels; save it again without that metadata.",
                 self->source->name);
    stop(self);
  }
  self->input.manager.next_input_byte = self->buffer;
  self->input.manager.bytes_in_buffer = got;
  return TRUE;
}

static void
on_input_skip(j_decompress_ptr cinfo, long n)
{
  JpegReader *self = cinfo->client_data;

  while (n > (long)self->input.manager.bytes_in_buffer) {
    n -= (long)self->input.manager.bytes_in_buffer;
    on_input_fill(cinfo);
  }
  if (n > 0) {
    self->input.manager.next_input_byte += n;
    self->input.manager.bytes_in_buffer -= n;
  }
}

static void
on_input_end(j_decompress_ptr cinfo)
{
}

static JpegReader *
reader_new(MsImageSource *source)
{
  JpegReader *self = g_new0(JpegReader, 1);

  self->source = source;
  self->input.scratch = source->scratch;
  self->cinfo.err = jpeg_std_error(&self->errors);
  self->cinfo.client_data = self;
  self->errors.error_exit = on_error;
  self->errors.emit_message = on_message;
  self->input.manager.init_source = on_input_start;
  self->input.manager.fill_input_buffer = on_input_fill;
  self->input.manager.skip_input_data = on_input_skip;
  self->input.manager.resync_to_restart = jpeg_resync_to_restart;
  self->input.manager.term_source = on_input_end;
  self->progress.progress_monitor = on_progress;
  return self;
}

static void
reader_free(JpegReader *self)
{
  jpeg_destroy_decompress(&self->cinfo);
  g_clear_pointer(&self->metadata, ms_metadata_unref);
  ms_image_source_free_pixels(self->source, self->pixels);
  g_clear_error(&self->input.error);
  g_free(self);
}

/*
 * The least size that a file of the image can have. A block of 8 x 8 samples takes at least a bit for its mean and one
 * for the rest, in a progressive file the first alone. Arithmetic coding has no such bound; 64 blocks to a bit are far
 * below any real file.
 */
static guint64
least_bytes(JpegReader *self)
{
  struct jpeg_decompress_struct *cinfo = &self->cinfo;
  guint64 blocks = 0;

  for (int i = 0; i < cinfo->num_components; i++)
    blocks += (guint64)cinfo->comp_info[i].width_in_blocks * cinfo->comp_info[i].height_in_blocks;
  if (cinfo->arith_code)
    return blocks / 64 / 8;
  return cinfo->progressive_mode ? blocks / 8 : blocks / 4;
}

static void
read_header(JpegReader *self)
{
  struct jpeg_decompress_struct *cinfo = &self->cinfo;

  jpeg_create_decompress(cinfo);
  cinfo->src = &self->input.manager;
  cinfo->progress = &self->progress;
  ms_jpeg_metadata_keep(cinfo, TRUE);
  self->in_header = TRUE;
  jpeg_read_header(cinfo, TRUE);
  self->in_header = FALSE;
  ms_jpeg_metadata_keep(cinfo, FALSE);
  stop_if(self, !ms_image_source_check_size(self->source, cinfo->image_width, cinfo->image_height, least_bytes(self),
                                            &self->error));
}

/*
 * Converts CMYK to RGB as the light that remains after each ink and black. Adobe's files store inverted values, which
 * are the light itself.
 */
static void
cmyk_to_rgba(guint8 *row, guint width, gboolean stores_light)
{
  guint8 flip = stores_light ? 0 : 255;

  for (guint x = 0; x < width; x++, row += 4) {
    guint light = row[3] ^ flip;
    for (int k = 0; k < 3; k++)
      row[k] = ((row[k] ^ flip) * light + 127) / 255;
    row[3] = 255;
  }
}

static void
start_rows(JpegReader *self)
{
  struct jpeg_decompress_struct *cinfo = &self->cinfo;

  self->is_cmyk = cinfo->jpeg_color_space == JCS_CMYK || cinfo->jpeg_color_space == JCS_YCCK;
  cinfo->out_color_space = self->is_cmyk ? JCS_CMYK : JCS_EXT_RGBA;
  if (self->source->scratch)
    ms_jpeg_coefficients_use_scratch(cinfo);
  jpeg_start_decompress(cinfo);
}

static void
read_row(JpegReader *self, guint8 *row)
{
  struct jpeg_decompress_struct *cinfo = &self->cinfo;

  stop_if(self, g_cancellable_set_error_if_cancelled(self->source->cancellable, &self->error));
  jpeg_read_scanlines(cinfo, &row, 1);
  if (self->is_cmyk)
    cmyk_to_rgba(row, cinfo->output_width, cinfo->saw_Adobe_marker);
  ms_image_source_report_rows(self->source, cinfo->output_scanline, cinfo->output_height);
}

static void
read_rows(JpegReader *self)
{
  struct jpeg_decompress_struct *cinfo = &self->cinfo;

  start_rows(self);
  while (cinfo->output_scanline < cinfo->output_height)
    read_row(self, self->pixels + (gsize)cinfo->output_scanline * cinfo->output_width * 4);
}

static void
read_image(JpegReader *self)
{
  struct jpeg_decompress_struct *cinfo = &self->cinfo;

  read_header(self);
  /* All scans of a progressive file have to be decoded for any size. */
  if (self->reduction > 1 && jpeg_has_multiple_scans(cinfo))
    ms_set_error(&self->error, MS_ERROR_UNSUPPORTED, "'%s' is progressive, so it has no preview.", self->source->name);
  stop_if(self, self->error != NULL);
  cinfo->scale_num = 1;
  cinfo->scale_denom = self->reduction;
  jpeg_calc_output_dimensions(cinfo);
  self->pixels = ms_image_source_alloc_pixels(self->source, cinfo->output_width, cinfo->output_height, &self->error);
  stop_if(self, self->pixels == NULL);
  read_rows(self);

  self->metadata = ms_jpeg_metadata(&self->cinfo, self->source->limits->max_metadata);
  int width = cinfo->output_width;
  int height = cinfo->output_height;
  /* Reads to the end-of-image marker, because a file that lacks it is damaged. */
  jpeg_finish_decompress(cinfo);
  self->image = ms_image_source_finish(self->source, g_steal_pointer(&self->pixels), width, height, self->metadata, 0,
                                       &self->error);
}

/* The only function with setjmp(): it has no local variables, and @steps keep their state in @self. */
static void
run(JpegReader *self, void (*steps)(JpegReader *self))
{
  if (setjmp(self->jump) == 0)
    steps(self);
}

static MsImage *
read_reduced(MsImageSource *source, guint reduction, GError **error)
{
  JpegReader *self = reader_new(source);

  self->reduction = reduction;
  run(self, read_image);
  MsImage *image = self->image;
  if (self->error != NULL)
    g_propagate_error(error, self->error);
  reader_free(self);
  return image;
}

/**
 * ms_jpeg_read:
 * @source: a file that begins with the JPEG start-of-image marker
 *
 * Decodes directly into the block of pixels that the image keeps. A progressive file also needs memory for its
 * coefficients, up to 1.5 times as much (twice for CMYK).
 *
 * Files whose pixels are missing or wrong are refused; see is_damage().
 *
 * Returns: (transfer full): the upright picture, or %NULL with %MS_ERROR_FORMAT, %MS_ERROR_TOO_LARGE, %MS_ERROR_MEMORY,
 *   %MS_ERROR_IO or %G_IO_ERROR_CANCELLED
 */
MsImage *
ms_jpeg_read(MsImageSource *source, GError **error)
{
  return read_reduced(source, 1, error);
}

/**
 * ms_jpeg_read_preview: ms_jpeg_read() at an eighth of the width and height, where a block becomes one pixel;
 * %MS_ERROR_UNSUPPORTED for a progressive file.
 */
MsImage *
ms_jpeg_read_preview(MsImageSource *source, GError **error)
{
  return read_reduced(source, 8, error);
}

/* Refuses a file that is valid but does not store the rows of the upright image in order. */
static void
refuse_rows(JpegReader *self, const char *why)
{
  ms_set_error_phrase(&self->error, MS_ERROR_UNSUPPORTED, "'%s' %s, so that it cannot be read by rows.",
                      self->source->name, why);
  stop(self);
}

static void
begin_rows(JpegReader *self)
{
  int orientation = 1;

  read_header(self);
  if (jpeg_has_multiple_scans(&self->cinfo))
    refuse_rows(self, N_("has several scans"));
  self->metadata = ms_jpeg_metadata(&self->cinfo, self->source->limits->max_metadata);
  self->rows.metadata = ms_image_source_upright_metadata(self->metadata, 0, &orientation);
  if (orientation != 1)
    refuse_rows(self, N_("is not stored upright"));
  self->rows.width = self->cinfo.image_width;
  self->rows.height = self->cinfo.image_height;
  start_rows(self);
}

/* Reads to the end-of-image marker after the last row, because a file that lacks it is damaged. */
static void
read_next_row(JpegReader *self)
{
  read_row(self, self->row);
  if (self->cinfo.output_scanline == self->cinfo.output_height)
    jpeg_finish_decompress(&self->cinfo);
}

static gboolean
rows_read(MsRowReader *rows, guint8 *row, GError **error)
{
  JpegReader *self = (JpegReader *)rows;

  self->row = row;
  run(self, read_next_row);
  if (self->error == NULL)
    return TRUE;
  g_propagate_error(error, g_steal_pointer(&self->error));
  return FALSE;
}

static void
rows_close(MsRowReader *rows)
{
  g_clear_pointer(&rows->metadata, ms_metadata_unref);
  reader_free((JpegReader *)rows);
}

/**
 * ms_jpeg_open_rows:
 * @source: a file that begins with the JPEG start-of-image marker; must outlive the reader
 *
 * Returns: (transfer full): a reader of the rows, or %NULL with the errors of ms_jpeg_read(), or %MS_ERROR_UNSUPPORTED
 *   for a file of several scans and one that is not stored upright
 */
MsRowReader *
ms_jpeg_open_rows(MsImageSource *source, GError **error)
{
  JpegReader *self = reader_new(source);

  self->rows.read = rows_read;
  self->rows.close = rows_close;
  run(self, begin_rows);
  if (self->error == NULL)
    return &self->rows;
  g_propagate_error(error, g_steal_pointer(&self->error));
  rows_close(&self->rows);
  return NULL;
}

/**
 * ms_jpeg_peek:
 * @header: (out): filled on success
 *
 * Reads up to the first scan.
 *
 * Returns: FALSE with the errors of ms_jpeg_read()
 */
gboolean
ms_jpeg_peek(MsImageSource *source, MsImageHeader *header, GError **error)
{
  JpegReader *self = reader_new(source);
  gboolean ok;

  run(self, read_header);
  ok = self->error == NULL;
  if (ok) {
    int width = self->cinfo.image_width;
    int height = self->cinfo.image_height;
    g_autoptr(GBytes) exif = ms_jpeg_metadata_exif(&self->cinfo);
    gboolean swap = exif != NULL && ms_orientation_swaps_sides(ms_exif_get_orientation(exif));
    header->width = swap ? height : width;
    header->height = swap ? width : height;
    header->bits = self->cinfo.data_precision;
  } else {
    g_propagate_error(error, self->error);
  }
  reader_free(self);
  return ok;
}
