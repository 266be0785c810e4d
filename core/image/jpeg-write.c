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

/*
 * The state of one encoder, kept out of local variables so that nothing leaks when an error calls longjmp().
 * @rows: (transfer none) (nullable): that are being written
 */
typedef struct {
  struct jpeg_compress_struct cinfo;
  struct jpeg_error_mgr errors;
  struct jpeg_destination_mgr output;
  jmp_buf jump;
  MsImageWriter *writer;
  MsImage *rows;
  guint8 *flat_row;
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
  ms_set_error(&self->writer->error, MS_ERROR_IO, "Cannot write '%s' as JPEG (%s); try another format.",
               self->writer->sink.name, message);
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

  stop_if(self, !ms_image_writer_put(self->writer, self->buffer, BUFFER_SIZE));
  on_output_start(cinfo);
  return TRUE;
}

static void
on_output_end(j_compress_ptr cinfo)
{
  JpegWriter *self = cinfo->client_data;
  gsize left = BUFFER_SIZE - self->output.free_in_buffer;

  stop_if(self, !ms_image_writer_put(self->writer, self->buffer, left));
}

static void
set_parameters(JpegWriter *self)
{
  struct jpeg_compress_struct *cinfo = &self->cinfo;

  cinfo->image_width = self->writer->frame.width;
  cinfo->image_height = self->writer->frame.height;
  cinfo->input_components = 4;
  cinfo->in_color_space = JCS_EXT_RGBX;
  jpeg_set_defaults(cinfo);
  jpeg_set_quality(cinfo, self->writer->options.quality, TRUE);
  if (self->writer->options.quality >= FULL_COLOUR_QUALITY)
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
    self->writer->notes.exif_dropped = TRUE;
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
    self->writer->notes.icc_dropped = TRUE;
  else if (size > 0)
    jpeg_write_icc_profile(&self->cinfo, data, size);
}

static void
start_jpeg_writer(JpegWriter *self)
{
  const MsMetadata *metadata = self->writer->frame.metadata;

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
  for (int y = 0; y < ms_image_get_height(self->rows); y++) {
    /* The cast is safe: libjpeg never writes to the rows it compresses. */
    guint8 *row = (guint8 *)ms_image_get_pixels(self->rows) + (gsize)y * ms_image_get_stride(self->rows);
    stop_if(self, ms_image_writer_is_cancelled(self->writer));
    if (self->flat_row) {
      ms_image_lay_on_white(row, self->flat_row, self->cinfo.image_width);
      row = self->flat_row;
    }
    jpeg_write_scanlines(&self->cinfo, &row, 1);
  }
}

static void
begin(JpegWriter *self)
{
  jpeg_create_compress(&self->cinfo);
  self->cinfo.dest = &self->output;
  if (!self->writer->frame.is_opaque) {
    self->flat_row = g_malloc0((gsize)self->writer->frame.width * 4);
    self->writer->notes.alpha_flattened = TRUE;
  }
  set_parameters(self);
  start_jpeg_writer(self);
}

static void
end(JpegWriter *self)
{
  jpeg_finish_compress(&self->cinfo);
}

/* The only function with setjmp(). */
static gboolean
run_jpeg_steps(JpegWriter *self, void (*steps)(JpegWriter *self))
{
  if (setjmp(self->jump) == 0)
    steps(self);
  return self->writer->error == NULL;
}

static gboolean
begin_jpeg(MsImageWriter *writer)
{
  JpegWriter *self = writer->encoder = g_new0(JpegWriter, 1);

  self->writer = writer;
  self->cinfo.err = jpeg_std_error(&self->errors);
  self->cinfo.client_data = self;
  self->errors.error_exit = on_error;
  self->errors.emit_message = on_message;
  self->output.init_destination = on_output_start;
  self->output.empty_output_buffer = on_output_full;
  self->output.term_destination = on_output_end;
  return run_jpeg_steps(self, begin);
}

static gboolean
write_jpeg_rows(MsImageWriter *writer, MsImage *rows)
{
  JpegWriter *self = writer->encoder;

  self->rows = rows;
  return run_jpeg_steps(self, write_rows);
}

static gboolean
end_jpeg(MsImageWriter *writer)
{
  return run_jpeg_steps(writer->encoder, end);
}

static void
free_jpeg(MsImageWriter *writer)
{
  JpegWriter *self = writer->encoder;

  jpeg_destroy_compress(&self->cinfo);
  g_free(self->flat_row);
  g_free(self);
}

static guint64
count_bytes(int width, int height, const MsSaveOptions *options)
{
  return BUFFER_SIZE + (guint64)width * 3 * ROWS_IN_MEMORY;
}

/** ms_jpeg_encoder: of the options, the quality is used; transparent pixels lie on white. */
const MsImageEncoder ms_jpeg_encoder = {begin_jpeg, write_jpeg_rows, end_jpeg, free_jpeg, count_bytes};
