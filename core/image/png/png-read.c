/* SPDX-License-Identifier: MIT */
#include "core/image/png/png-read.h"

#include <string.h>

#include "core/error.h"
#include "core/image/metadata/orientation.h"
#include "core/image/png/png-reader.h"
#include "core/image/png/png-whole.h"

static void
read_rows(MsPngReader *self)
{
  guint32 height = png_get_image_height(self->png, self->info);
  int passes = png_set_interlace_handling(self->png);

  png_read_update_info(self->png, self->info);
  gsize stride = png_get_rowbytes(self->png, self->info);
  g_assert(stride == (gsize)png_get_image_width(self->png, self->info) * 4);
  for (int pass = 0; pass < passes; pass++)
    for (guint32 y = 0; y < height; y++) {
      ms_png_reader_stop_if(self, g_cancellable_set_error_if_cancelled(self->source->cancellable, &self->error));
      png_read_row(self->png, self->pixels + y * stride, NULL);
      self->y++;
      ms_image_source_report_rows(self->source, (guint64)pass * height + y + 1, (guint64)passes * height);
    }
}

/* The first pass of an interlaced file has every eighth pixel of every eighth row. */
static void
read_first_pass(MsPngReader *self)
{
  guint32 width = png_get_image_width(self->png, self->info), height = png_get_image_height(self->png, self->info);
  guint32 columns = (width + 7) / 8, rows = (height + 7) / 8;

  self->pixels = ms_image_source_alloc_pixels(self->source, columns, rows, &self->error);
  ms_png_reader_stop_if(self, self->pixels == NULL);
  ms_png_reader_set_transforms(self);
  png_set_interlace_handling(self->png);
  png_read_update_info(self->png, self->info);
  self->row = g_malloc(png_get_rowbytes(self->png, self->info));
  for (guint32 y = 0; y < height; y++) {
    ms_png_reader_stop_if(self, g_cancellable_set_error_if_cancelled(self->source->cancellable, &self->error));
    png_read_row(self->png, self->row, NULL);
    for (guint32 x = 0; y % 8 == 0 && x < columns; x++)
      memcpy(self->pixels + ((gsize)(y / 8) * columns + x) * 4, self->row + (gsize)x * 8 * 4, 4);
  }
  g_autoptr(MsMetadata) metadata = ms_png_reader_get_metadata(self);
  self->image = ms_image_source_finish(
    self->source, (MsStoredPixels){g_steal_pointer(&self->pixels), (int)columns, (int)rows, 0}, metadata, &self->error);
}

static void
read_preview(MsPngReader *self)
{
  ms_png_reader_read_header(self);
  if (png_get_interlace_type(self->png, self->info) != PNG_INTERLACE_ADAM7)
    ms_set_error(&self->error, MS_ERROR_UNSUPPORTED, "'%s' is not interlaced, so it has no preview.",
                 self->source->name);
  ms_png_reader_stop_if(self, self->error != NULL);
  read_first_pass(self);
}

/* The last step of reading, also of a damaged file. */
static void
finish_image(MsPngReader *self)
{
  g_autoptr(MsMetadata) metadata = ms_png_reader_get_metadata(self);

  const MsStoredPixels stored = {g_steal_pointer(&self->pixels), (int)png_get_image_width(self->png, self->info),
                                 (int)png_get_image_height(self->png, self->info), ms_png_reader_get_orientation(self)};

  self->image = ms_image_source_finish(self->source, stored, metadata, &self->error);
}

static void
read_image(MsPngReader *self)
{
  ms_png_reader_read_header(self);
  if (!ms_png_whole_read(self)) {
    guint32 width = png_get_image_width(self->png, self->info), height = png_get_image_height(self->png, self->info);
    self->pixels = ms_image_source_alloc_pixels(self->source, width, height, &self->error);
    ms_png_reader_stop_if(self, self->pixels == NULL);
    ms_png_reader_set_transforms(self);
    read_rows(self);
    /* Reads to the end, because a file without its last bytes is damaged, and EXIF may follow the pixels. */
    png_read_end(self->png, self->info);
  }
  ms_png_reader_stop_if(self, self->error != NULL);
  finish_image(self);
}

static MsImage *
read_with(MsImageSource *source, void (*steps)(MsPngReader *self), GError **error)
{
  MsPngReader self = {.source = source};

  if (ms_png_reader_open(&self))
    ms_png_reader_run(&self, steps);
  if (self.pixels != NULL && ms_png_reader_accepts_rows(&self))
    ms_png_reader_run(&self, finish_image);
  ms_png_reader_close(&self);
  if (self.error != NULL)
    g_propagate_error(error, self.error);
  return self.image;
}

/**
 * ms_png_read:
 * @source: a file that begins with the PNG signature
 *
 * Decodes row by row, interlaced files too, directly into the block of pixels that the image keeps.
 *
 * Returns: (transfer full): the upright picture, or %NULL with %MS_ERROR_FORMAT, %MS_ERROR_TOO_LARGE, %MS_ERROR_MEMORY,
 *   %MS_ERROR_IO or %G_IO_ERROR_CANCELLED
 */
MsImage *
ms_png_read(MsImageSource *source, GError **error)
{
  return read_with(source, read_image, error);
}

/**
 * ms_png_read_preview:
 *
 * Reads the first pass of an interlaced file alone: an eighth of its width and height.
 *
 * Returns: (transfer full): the upright preview, or %NULL with %MS_ERROR_UNSUPPORTED where the file is not interlaced,
 *   or the errors of ms_png_read()
 */
MsImage *
ms_png_read_preview(MsImageSource *source, GError **error)
{
  return read_with(source, read_preview, error);
}

/**
 * ms_png_peek:
 * @header: (out): filled on success
 *
 * Reads up to the pixels; an EXIF block that follows them is not seen.
 *
 * Returns: FALSE with the errors of ms_png_read()
 */
gboolean
ms_png_peek(MsImageSource *source, MsImageHeader *header, GError **error)
{
  MsPngReader self = {.source = source};

  if (ms_png_reader_open(&self))
    ms_png_reader_run(&self, ms_png_reader_read_header);
  if (self.error == NULL) {
    int width = png_get_image_width(self.png, self.info);
    int height = png_get_image_height(self.png, self.info);
    gboolean swap = ms_orientation_swaps_sides(ms_png_reader_get_orientation(&self));
    header->width = swap ? height : width;
    header->height = swap ? width : height;
    header->bits = png_get_bit_depth(self.png, self.info);
  }
  ms_png_reader_close(&self);
  if (self.error == NULL)
    return TRUE;
  g_propagate_error(error, self.error);
  return FALSE;
}
