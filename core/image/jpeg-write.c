/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdio.h>

#include <jpeglib.h>
#include <jerror.h>

#include "core/error.h"
#include "core/image/jpeg.h"

#define BUFFER_SIZE 65536

/* The rows of blocks of three components, and those above and below that are needed to halve the colours. */
#define ROWS_IN_MEMORY 48

/* From this quality on, colours are stored at full resolution. */
#define FULL_COLOUR_QUALITY 90

/* Most bytes of an APP segment: its length of 16 bits includes its own two bytes. */
#define MOST_SEGMENT 65533
#define EXIF_PREFIX "Exif\0"
#define EXIF_PREFIX_SIZE 6
#define ICC_PREFIX_SIZE 14
#define MOST_ICC (255 * (MOST_SEGMENT - ICC_PREFIX_SIZE))

/* The state of one encoder, kept out of local variables so that nothing leaks when an error calls longjmp(). */
typedef struct {
  struct jpeg_compress_struct cinfo;
  struct jpeg_error_mgr errors;
  struct jpeg_destination_mgr output;
  jmp_buf jump;
  MsImage *image;
  MsImageSink *sink;
  const MsSaveOptions *options;
  MsSaveNotes *notes;
  guint8 *flat_row;
  GError *error;
  guint8 buffer[BUFFER_SIZE];
} JpegWriter;

static void
stop_if(JpegWriter *self, gboolean failed)
{
  if (failed)
    longjmp(self->jump, 1);
}

static G_GNUC_NORETURN void
on_error(j_common_ptr cinfo)
{
  JpegWriter *self = cinfo->client_data;
  char message[JMSG_LENGTH_MAX];

  self->errors.format_message(cinfo, message);
  ms_set_error(&self->error, MS_ERROR_IO, "Cannot write '%s' as JPEG (%s); try another format.", self->sink->name,
               message);
  longjmp(self->jump, 1);
}

static void
on_message(j_common_ptr cinfo, int level)
{
}

static void
on_output_start(j_compress_ptr cinfo)
{
  JpegWriter *self = cinfo->client_data;

  self->output.next_output_byte = self->buffer;
  self->output.free_in_buffer = BUFFER_SIZE;
}

static boolean
on_output_full(j_compress_ptr cinfo)
{
  JpegWriter *self = cinfo->client_data;

  stop_if(self, !self->sink->write(self->sink, self->buffer, BUFFER_SIZE, &self->error));
  on_output_start(cinfo);
  return TRUE;
}

static void
on_output_end(j_compress_ptr cinfo)
{
  JpegWriter *self = cinfo->client_data;
  gsize left = BUFFER_SIZE - self->output.free_in_buffer;

  stop_if(self, !self->sink->write(self->sink, self->buffer, left, &self->error));
}

static void
set_parameters(JpegWriter *self)
{
  struct jpeg_compress_struct *cinfo = &self->cinfo;

  cinfo->image_width = ms_image_get_width(self->image);
  cinfo->image_height = ms_image_get_height(self->image);
  cinfo->input_components = 4;
  cinfo->in_color_space = JCS_EXT_RGBX;
  jpeg_set_defaults(cinfo);
  jpeg_set_quality(cinfo, self->options->quality, TRUE);
  if (self->options->quality >= FULL_COLOUR_QUALITY)
    cinfo->comp_info[0].h_samp_factor = cinfo->comp_info[0].v_samp_factor = 1;
}

/*
 * JFIF stores dots per inch or per centimetre in 16 bits; inches are used unless only centimetres give a whole number.
 */
static void
set_density(JpegWriter *self, guint32 x, guint32 y)
{
  gboolean metric = x % 100 == 0 && y % 100 == 0;
  double unit = metric ? 0.01 : 0.0254;
  double dots_x = rint(x * unit);
  double dots_y = rint(y * unit);

  if (dots_x < 1 || dots_y < 1 || dots_x > G_MAXUINT16 || dots_y > G_MAXUINT16)
    return;
  self->cinfo.density_unit = metric ? 2 : 1;
  self->cinfo.X_density = (UINT16)dots_x;
  self->cinfo.Y_density = (UINT16)dots_y;
}

static void
write_exif(JpegWriter *self, GBytes *exif)
{
  gsize size;
  const guint8 *data = g_bytes_get_data(exif, &size);

  if (size + EXIF_PREFIX_SIZE > MOST_SEGMENT) {
    self->notes->exif_dropped = TRUE;
    return;
  }
  jpeg_write_m_header(&self->cinfo, JPEG_APP0 + 1, size + EXIF_PREFIX_SIZE);
  for (int i = 0; i < EXIF_PREFIX_SIZE; i++)
    jpeg_write_m_byte(&self->cinfo, EXIF_PREFIX[i]);
  for (gsize i = 0; i < size; i++)
    jpeg_write_m_byte(&self->cinfo, data[i]);
}

static void
write_icc(JpegWriter *self, GBytes *icc)
{
  gsize size;
  const guint8 *data = g_bytes_get_data(icc, &size);

  if (size > MOST_ICC)
    self->notes->icc_dropped = TRUE;
  else if (size > 0)
    jpeg_write_icc_profile(&self->cinfo, data, size);
}

static void
start_jpeg_writer(JpegWriter *self)
{
  MsMetadata *metadata = ms_image_get_metadata(self->image);

  if (metadata && metadata->x_pixels_per_metre > 0 && metadata->y_pixels_per_metre > 0)
    set_density(self, metadata->x_pixels_per_metre, metadata->y_pixels_per_metre);
  jpeg_start_compress(&self->cinfo, TRUE);
  if (metadata && metadata->exif)
    write_exif(self, metadata->exif);
  if (metadata && metadata->icc)
    write_icc(self, metadata->icc);
}

static void
write_rows(JpegWriter *self)
{
  const guint8 *pixels = ms_image_get_pixels(self->image);
  gsize stride = ms_image_get_stride(self->image);

  while (self->cinfo.next_scanline < self->cinfo.image_height) {
    /* The cast is safe: libjpeg never writes to the rows it compresses. */
    guint8 *row = (guint8 *)pixels + self->cinfo.next_scanline * stride;
    int y = (int)self->cinfo.next_scanline;
    stop_if(self, g_cancellable_set_error_if_cancelled(self->sink->cancellable, &self->error));
    stop_if(self, !ms_image_hold_rows(self->image, y, 1, &self->error));
    if (self->flat_row) {
      ms_image_lay_on_white(row, self->flat_row, self->cinfo.image_width);
      row = self->flat_row;
    }
    jpeg_write_scanlines(&self->cinfo, &row, 1);
    ms_image_drop_rows(self->image, y + 1);
  }
}

static void
write_image(JpegWriter *self)
{
  jpeg_create_compress(&self->cinfo);
  self->cinfo.dest = &self->output;
  if (ms_image_has_transparency(self->image)) {
    self->flat_row = g_malloc0(ms_image_get_stride(self->image));
    self->notes->alpha_flattened = TRUE;
  }
  set_parameters(self);
  start_jpeg_writer(self);
  write_rows(self);
  jpeg_finish_compress(&self->cinfo);
}

static void
run_jpeg_writer(JpegWriter *self)
{
  if (setjmp(self->jump) == 0)
    write_image(self);
}

static JpegWriter *
writer_new(MsImage *image, MsImageSink *sink, const MsSaveOptions *options, MsSaveNotes *notes)
{
  JpegWriter *self = g_new0(JpegWriter, 1);

  self->image = image;
  self->sink = sink;
  self->options = options;
  self->notes = notes;
  self->cinfo.err = jpeg_std_error(&self->errors);
  self->cinfo.client_data = self;
  self->errors.error_exit = on_error;
  self->errors.emit_message = on_message;
  self->output.init_destination = on_output_start;
  self->output.empty_output_buffer = on_output_full;
  self->output.term_destination = on_output_end;
  return self;
}

/**
 * ms_jpeg_write:
 * @options: of which the quality is used
 * @notes: (inout): transparency composited on white, and what could not be stored, is set
 *
 * Returns: FALSE with the error of the sink, %MS_ERROR_TOO_LARGE or %G_IO_ERROR_CANCELLED
 */
gboolean
ms_jpeg_write(MsImage *image, MsImageSink *sink, const MsSaveOptions *options, MsSaveNotes *notes, GError **error)
{
  JpegWriter *self = writer_new(image, sink, options, notes);
  run_jpeg_writer(self);
  gboolean ok = self->error == NULL;
  if (!ok)
    g_propagate_error(error, self->error);
  jpeg_destroy_compress(&self->cinfo);
  g_free(self->flat_row);
  g_free(self);
  return ok;
}

/** ms_jpeg_write_bytes: the working memory of ms_jpeg_write() for an image of this width. */
guint64
ms_jpeg_write_bytes(int width, int height, const MsSaveOptions *options)
{
  return BUFFER_SIZE + (guint64)width * 3 * ROWS_IN_MEMORY;
}
