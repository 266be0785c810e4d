/* SPDX-License-Identifier: MIT */
#include <png.h>

#include "core/error.h"
#include "core/image/png-stream.h"
#include "core/image/png.h"

/*
 * The state of one encoder, kept out of local variables so that nothing leaks when libpng calls longjmp().
 * @rows: (transfer none) (nullable): that are being written
 */
typedef struct {
  MsImageWriter *writer;
  png_structp png;
  png_infop info;
  MsPngStream *stream;
  MsImage *rows;
  GBytes *piece;
} PngWriter;

static G_GNUC_NORETURN void
on_error(png_structp png, png_const_charp message)
{
  PngWriter *self = png_get_error_ptr(png);

  if (!self->writer->error)
    ms_set_error(&self->writer->error, MS_ERROR_IO, "Cannot write '%s' as PNG (%s); try another format.",
                 self->writer->sink.name, message);
  png_longjmp(png, 1);
}

/* Ignores warnings, which are about profiles here; whether libpng accepted the profile is checked afterwards. */
static void
on_warning(png_structp png, png_const_charp message)
{
}

static void
on_write(png_structp png, png_bytep data, size_t size)
{
  PngWriter *self = png_get_io_ptr(png);

  if (!ms_image_writer_put(self->writer, data, size))
    png_error(png, "write");
}

static void
on_flush(png_structp png)
{
}

static gboolean
writer_open(PngWriter *self)
{
  self->png = png_create_write_struct(PNG_LIBPNG_VER_STRING, self, on_error, on_warning);
  if (self->png)
    self->info = png_create_info_struct(self->png);
  if (!self->info) {
    ms_set_error(&self->writer->error, MS_ERROR_MEMORY, "Not enough memory to write '%s'; close other programs.",
                 self->writer->sink.name);
    return FALSE;
  }
  png_set_write_fn(self->png, self, on_write, on_flush);
  png_set_benign_errors(self->png, 1);
  png_set_user_limits(self->png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
  return TRUE;
}

static void
set_metadata(PngWriter *self)
{
  const MsMetadata *metadata = self->writer->frame.metadata;

  if (!metadata)
    return;
  if (metadata->x_pixels_per_metre > 0 && metadata->y_pixels_per_metre > 0)
    png_set_pHYs(self->png, self->info, metadata->x_pixels_per_metre, metadata->y_pixels_per_metre,
                 PNG_RESOLUTION_METER);
  if (metadata->exif)
    png_set_eXIf_1(self->png, self->info, g_bytes_get_size(metadata->exif),
                   (png_bytep)g_bytes_get_data(metadata->exif, NULL));
  /* New versions of libpng write no image at all with an unsound profile, where older ones left the profile out. */
  if (metadata->icc && ms_icc_is_sound(metadata->icc))
    png_set_iCCP(self->png, self->info, "ICC profile", PNG_COMPRESSION_TYPE_BASE, g_bytes_get_data(metadata->icc, NULL),
                 g_bytes_get_size(metadata->icc));
  self->writer->notes.icc_dropped = metadata->icc && png_get_valid(self->png, self->info, PNG_INFO_iCCP) == 0;
}

/*
 * Writes an opaque image without the alpha channel, which leaves a quarter less to compress and changes no pixel.
 * libpng writes everything but the pixels, because its compressor uses one thread and has half the speed.
 */
static void
begin(PngWriter *self)
{
  const MsImageFrame *frame = &self->writer->frame;
  const MsSaveOptions *options = &self->writer->options;
  const MsPngRows rows = {NULL, NULL, frame->width, frame->height, frame->is_opaque ? 3 : 4};
  const MsPngPlan plan = ms_png_plan(&rows, options->threads, options->saves_memory);

  self->stream = ms_png_stream_new(&rows, &plan, options->compression, self->writer->sink.cancellable);
  png_set_IHDR(self->png, self->info, frame->width, frame->height, 8,
               frame->is_opaque ? PNG_COLOR_TYPE_RGB : PNG_COLOR_TYPE_RGB_ALPHA, PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_BASE, PNG_FILTER_TYPE_BASE);
  set_metadata(self);
  png_write_info(self->png, self->info);
}

/* Each piece of the compressed stream becomes one chunk. */
static void
add_rows(PngWriter *self)
{
  ms_png_stream_add(self->stream, self->rows);
  while ((self->piece = ms_png_stream_next(self->stream, &self->writer->error))) {
    png_write_chunk(self->png, (png_const_bytep) "IDAT", g_bytes_get_data(self->piece, NULL),
                    g_bytes_get_size(self->piece));
    g_clear_pointer(&self->piece, g_bytes_unref);
  }
}

static void
end(PngWriter *self)
{
  png_write_chunk(self->png, (png_const_bytep) "IEND", NULL, 0);
}

/* The only function with setjmp(). */
static gboolean
run_png_steps(PngWriter *self, void (*steps)(PngWriter *self))
{
  if (setjmp(png_jmpbuf(self->png)) == 0)
    steps(self);
  return self->writer->error == NULL;
}

static gboolean
begin_png(MsImageWriter *writer)
{
  PngWriter *self = writer->encoder = g_new0(PngWriter, 1);

  self->writer = writer;
  return writer_open(self) && run_png_steps(self, begin);
}

static gboolean
write_png_rows(MsImageWriter *writer, MsImage *rows)
{
  PngWriter *self = writer->encoder;

  self->rows = rows;
  return run_png_steps(self, add_rows);
}

static gboolean
end_png(MsImageWriter *writer)
{
  return run_png_steps(writer->encoder, end);
}

static void
free_png(MsImageWriter *writer)
{
  PngWriter *self = writer->encoder;

  g_clear_pointer(&self->stream, ms_png_stream_free);
  g_clear_pointer(&self->piece, g_bytes_unref);
  png_destroy_write_struct(&self->png, &self->info);
  g_free(self);
}

static guint64
bytes_with_samples(int width, int height, guint samples, const MsSaveOptions *options)
{
  MsPngRows rows = {NULL, NULL, width, height, samples};
  MsPngPlan plan = ms_png_plan(&rows, options->threads, options->saves_memory);

  return ms_png_plan_bytes(&plan, &rows);
}

/*
 * The working memory for an image of this size. An opaque image, which has three
 * samples a pixel, may be compressed as one band where one of four is not.
 */
static guint64
count_bytes(int width, int height, const MsSaveOptions *options)
{
  return MAX(bytes_with_samples(width, height, 3, options), bytes_with_samples(width, height, 4, options));
}

/** ms_png_encoder: of the options, the compression level and the threads are used. */
const MsImageEncoder ms_png_encoder = {begin_png, write_png_rows, end_png, free_png, count_bytes};
