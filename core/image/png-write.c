/* SPDX-License-Identifier: MIT */
#include <png.h>

#include "core/error.h"
#include "core/image/png-stream.h"
#include "core/image/png.h"

/* The state of one encoder, kept out of local variables so that nothing leaks when libpng calls longjmp(). */
typedef struct {
  MsImage *image;
  MsImageSink *sink;
  const MsSaveOptions *options;
  MsSaveNotes *notes;
  png_structp png;
  png_infop info;
  MsPngStream *stream;
  GBytes *piece;
  GError *error;
} PngWriter;

static G_GNUC_NORETURN void
on_error(png_structp png, png_const_charp message)
{
  PngWriter *self = png_get_error_ptr(png);

  if (!self->error)
    ms_set_error(&self->error, MS_ERROR_IO, "Cannot write '%s' as PNG (%s); try another format.", self->sink->name,
                 message);
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

  if (!self->sink->write(self->sink, data, size, &self->error))
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
    ms_set_error(&self->error, MS_ERROR_MEMORY, "Not enough memory to write '%s'; close other programs.",
                 self->sink->name);
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
  MsMetadata *metadata = ms_image_get_metadata(self->image);

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
  self->notes->icc_dropped = metadata->icc && png_get_valid(self->png, self->info, PNG_INFO_iCCP) == 0;
}

static void
stop_if(PngWriter *self, gboolean failed)
{
  if (failed)
    png_error(self->png, "stopped");
}

static gboolean
hold_rows(gpointer image, gsize first, gsize n, GError **error)
{
  return ms_image_hold_rows(image, (int)first, (int)n, error);
}

static void
drop_rows(gpointer image, gsize end)
{
  ms_image_drop_rows(image, (int)end);
}

/* Each piece of the compressed stream becomes one chunk. */
static void
write_pixels(PngWriter *self, guint samples)
{
  MsPngRows rows = {ms_image_get_pixels(self->image), ms_image_get_width(self->image), ms_image_get_height(self->image),
                    samples};
  MsPngPlan plan = ms_png_plan(&rows, self->options->threads, self->options->saves_memory);

  self->stream = ms_png_stream_new(&rows, &plan, self->options->compression, self->sink->cancellable);
  ms_png_stream_set_feed(self->stream, hold_rows, drop_rows, self->image);
  while ((self->piece = ms_png_stream_next(self->stream, &self->error))) {
    png_write_chunk(self->png, (png_const_bytep) "IDAT", g_bytes_get_data(self->piece, NULL),
                    g_bytes_get_size(self->piece));
    g_clear_pointer(&self->piece, g_bytes_unref);
  }
  stop_if(self, self->error != NULL);
}

/*
 * Writes an opaque image without the alpha channel, which leaves a quarter less to compress and changes no pixel.
 * libpng writes everything but the pixels, because its compressor uses one thread and has half the speed.
 */
static void
write_image(PngWriter *self)
{
  gboolean alpha = ms_image_has_transparency(self->image);

  png_set_IHDR(self->png, self->info, ms_image_get_width(self->image), ms_image_get_height(self->image), 8,
               alpha ? PNG_COLOR_TYPE_RGB_ALPHA : PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_BASE,
               PNG_FILTER_TYPE_BASE);
  set_metadata(self);
  png_write_info(self->png, self->info);
  write_pixels(self, alpha ? 4 : 3);
  png_write_chunk(self->png, (png_const_bytep) "IEND", NULL, 0);
}

static void
run_png_writer(PngWriter *self)
{
  if (setjmp(png_jmpbuf(self->png)) == 0)
    write_image(self);
}

/**
 * ms_png_write:
 * @options: of which the compression level and the threads are used
 * @notes: (inout): what could not be stored is set
 *
 * Returns: FALSE with the error of the sink, %MS_ERROR_MEMORY or %G_IO_ERROR_CANCELLED
 */
gboolean
ms_png_write(MsImage *image, MsImageSink *sink, const MsSaveOptions *options, MsSaveNotes *notes, GError **error)
{
  PngWriter self = {.image = image, .sink = sink, .options = options, .notes = notes};

  if (writer_open(&self))
    run_png_writer(&self);
  g_clear_pointer(&self.stream, ms_png_stream_free);
  g_clear_pointer(&self.piece, g_bytes_unref);
  png_destroy_write_struct(&self.png, &self.info);
  if (!self.error)
    return TRUE;
  g_propagate_error(error, self.error);
  return FALSE;
}

static guint64
bytes_with_samples(int width, int height, guint samples, const MsSaveOptions *options)
{
  MsPngRows rows = {NULL, width, height, samples};
  MsPngPlan plan = ms_png_plan(&rows, options->threads, options->saves_memory);

  return ms_png_plan_bytes(&plan, &rows);
}

/**
 * ms_png_write_bytes: the working memory of ms_png_write() for an image of this size. An opaque image, which has three
 * samples a pixel, may be compressed as one band where one of four is not.
 */
guint64
ms_png_write_bytes(int width, int height, const MsSaveOptions *options)
{
  return MAX(bytes_with_samples(width, height, 3, options), bytes_with_samples(width, height, 4, options));
}
