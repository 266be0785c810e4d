/* SPDX-License-Identifier: MIT */
#include "core/image/jpeg/jpeg-reader.h"

#include <string.h>

#include <jerror.h>

#include "core/error.h"
#include "core/image/jpeg/jpeg-metadata.h"
#include "core/image/jpeg/jpeg-write.h"

/*
 * Most bytes before the first scan: enough for the largest profile (16 MiB), and a limit for a file of endless headers.
 */
#define MOST_HEADER (G_GUINT64_CONSTANT(64) << 20)

/* The marker that libjpeg gets where a file lacks it and is accepted nevertheless. */
#define END_OF_IMAGE "\xff\xd9"

/** ms_jpeg_reader_stop: ends ms_jpeg_reader_run(); @self->error says why. */
void
ms_jpeg_reader_stop(MsJpegReader *self)
{
  longjmp(self->jump, 1);
}

/** ms_jpeg_reader_stop_if: ms_jpeg_reader_stop() where @failed. */
void
ms_jpeg_reader_stop_if(MsJpegReader *self, gboolean failed)
{
  if (failed)
    ms_jpeg_reader_stop(self);
}

static G_GNUC_NORETURN void
stop_damaged(MsJpegReader *self)
{
  char message[JMSG_LENGTH_MAX];

  self->errors.format_message((j_common_ptr)&self->cinfo, message);
  ms_set_error(&self->error, MS_ERROR_FORMAT, "'%s' is a damaged JPEG file (%s); get a fresh copy of it.",
               self->source->name, message);
  ms_jpeg_reader_stop(self);
}

static G_GNUC_NORETURN void
on_error(j_common_ptr cinfo)
{
  MsJpegReader *self = cinfo->client_data;
  const char *name = self->source->name;

  switch (self->errors.msg_code) {
  case JERR_OUT_OF_MEMORY:
    if (self->input.error) {
      self->error = g_steal_pointer(&self->input.error);
      ms_jpeg_reader_stop(self);
    }
    ms_set_error(&self->error, MS_ERROR_MEMORY,
                 "Not enough memory to read '%s'; close other programs or scale it down.", name);
    ms_jpeg_reader_stop(self);
  case JERR_IMAGE_TOO_BIG:
    ms_set_error(&self->error, MS_ERROR_TOO_LARGE,
                 "'%s' is too large: a JPEG file can have %d pixels a side at most; scale it down.", name,
                 MS_JPEG_MOST_SIDE);
    ms_jpeg_reader_stop(self);
  case JERR_SOF_UNSUPPORTED:
  case JERR_BAD_PRECISION:
  case JERR_CONVERSION_NOTIMPL:
    ms_set_error(&self->error, MS_ERROR_FORMAT,
                 "'%s' is of a rare kind of JPEG that cannot be read (lossless, 12 bits, or no known "
                 "colours); convert it to PNG.",
                 name);
    ms_jpeg_reader_stop(self);
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
is_damage(MsJpegReader *self)
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
  MsJpegReader *self = cinfo->client_data;
  char message[JMSG_LENGTH_MAX];

  if (level >= 0 || !is_damage(self))
    return;
  self->errors.format_message(cinfo, message);
  if (self->in_header || !ms_image_source_accepts(self->source, message))
    stop_damaged(self);
}

static void
on_progress(j_common_ptr cinfo)
{
  MsJpegReader *self = cinfo->client_data;

  ms_jpeg_reader_stop_if(self, g_cancellable_set_error_if_cancelled(self->source->cancellable, &self->error));
  if (self->cinfo.input_scan_number <= (int)self->source->limits->max_scans)
    return;
  ms_set_error(&self->error, MS_ERROR_TOO_LARGE,
               "'%s' has more than %u scans, far more than any picture needs; save it again with another program.",
               self->source->name, self->source->limits->max_scans);
  ms_jpeg_reader_stop(self);
}

static void
on_input_start(j_decompress_ptr cinfo)
{
}

/* Whether some of the image has been decoded, or the first scan of several. */
static gboolean
has_rows(MsJpegReader *self)
{
  return !self->in_header && (self->cinfo.input_iMCU_row > 0 || self->cinfo.input_scan_number > 1);
}

static boolean
on_input_fill(j_decompress_ptr cinfo)
{
  MsJpegReader *self = cinfo->client_data;
  gsize got = 0;

  ms_jpeg_reader_stop_if(self,
                         !ms_image_source_read(self->source, self->buffer, sizeof self->buffer, &got, &self->error));
  if (got == 0 && has_rows(self) && ms_image_source_accepts(self->source, "the file ends before the picture does")) {
    got = sizeof END_OF_IMAGE - 1;
    memcpy(self->buffer, END_OF_IMAGE, got);
  }
  if (got == 0) {
    ms_set_error(&self->error, MS_ERROR_FORMAT,
                 "'%s' is damaged: the file ends before the picture does; get a fresh copy of it.", self->source->name);
    ms_jpeg_reader_stop(self);
  }
  self->header_bytes += got;
  if (self->in_header && self->header_bytes > MOST_HEADER) {
    ms_set_error(&self->error, MS_ERROR_TOO_LARGE,
                 "'%s' has more than 64 MiB before its pixels; save it again without that metadata.",
                 self->source->name);
    ms_jpeg_reader_stop(self);
  }
  self->input.manager.next_input_byte = self->buffer;
  self->input.manager.bytes_in_buffer = got;
  return TRUE;
}

static void
on_input_skip(j_decompress_ptr cinfo, long n)
{
  MsJpegReader *self = cinfo->client_data;

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

/** ms_jpeg_reader_new: (transfer full): prepares libjpeg for @source, which must outlive the reader. */
MsJpegReader *
ms_jpeg_reader_new(MsImageSource *source)
{
  MsJpegReader *self = g_new0(MsJpegReader, 1);

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

/** ms_jpeg_reader_free: frees all but the image and the error. */
void
ms_jpeg_reader_free(MsJpegReader *self)
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
least_bytes(MsJpegReader *self)
{
  struct jpeg_decompress_struct *cinfo = &self->cinfo;
  guint64 blocks = 0;

  for (int i = 0; i < cinfo->num_components; i++)
    blocks += (guint64)cinfo->comp_info[i].width_in_blocks * cinfo->comp_info[i].height_in_blocks;
  if (cinfo->arith_code)
    return blocks / 64 / 8;
  return cinfo->progressive_mode ? blocks / 8 : blocks / 4;
}

/** ms_jpeg_reader_get_orientation: 1 to 8, by the EXIF block or the XMP packet of the header. */
int
ms_jpeg_reader_get_orientation(MsJpegReader *self)
{
  g_autoptr(GBytes) exif = ms_jpeg_metadata_exif(&self->cinfo);
  g_autoptr(GBytes) xmp = ms_jpeg_metadata_xmp(&self->cinfo);

  return ms_image_source_get_orientation(exif, xmp);
}

/** ms_jpeg_reader_read_header: reads up to the first scan and refuses an image that exceeds the limits. */
void
ms_jpeg_reader_read_header(MsJpegReader *self)
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
  ms_jpeg_reader_stop_if(self, !ms_image_source_check_size(self->source, cinfo->image_width, cinfo->image_height,
                                                           least_bytes(self), &self->error));
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

/** ms_jpeg_reader_start_rows: starts decoding to RGBA, or to CMYK, which ms_jpeg_reader_read_row() converts. */
void
ms_jpeg_reader_start_rows(MsJpegReader *self)
{
  struct jpeg_decompress_struct *cinfo = &self->cinfo;

  self->is_cmyk = cinfo->jpeg_color_space == JCS_CMYK || cinfo->jpeg_color_space == JCS_YCCK;
  cinfo->out_color_space = self->is_cmyk ? JCS_CMYK : JCS_EXT_RGBA;
  if (self->source->scratch)
    ms_jpeg_coefficients_use_scratch(cinfo);
  jpeg_start_decompress(cinfo);
}

/** ms_jpeg_reader_read_row: decodes the next row to RGBA, unless the source is cancelled. */
void
ms_jpeg_reader_read_row(MsJpegReader *self, guint8 *row)
{
  struct jpeg_decompress_struct *cinfo = &self->cinfo;

  ms_jpeg_reader_stop_if(self, g_cancellable_set_error_if_cancelled(self->source->cancellable, &self->error));
  jpeg_read_scanlines(cinfo, &row, 1);
  if (self->is_cmyk)
    cmyk_to_rgba(row, cinfo->output_width, cinfo->saw_Adobe_marker);
  ms_image_source_report_rows(self->source, cinfo->output_scanline, cinfo->output_height);
}

/**
 * ms_jpeg_reader_run:
 * @steps: keeps its state in @self, so that nothing leaks when an error calls longjmp()
 *
 * The only function with setjmp(); it has no local variables.
 */
void
ms_jpeg_reader_run(MsJpegReader *self, void (*steps)(MsJpegReader *self))
{
  if (setjmp(self->jump) == 0)
    steps(self);
}
