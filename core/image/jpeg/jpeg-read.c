/* SPDX-License-Identifier: MIT */
#include "core/image/jpeg/jpeg-read.h"

#include "core/error.h"
#include "core/image/jpeg/jpeg-metadata.h"
#include "core/image/jpeg/jpeg-reader.h"
#include "core/image/metadata/orientation.h"

static void
read_rows(MsJpegReader *self)
{
  struct jpeg_decompress_struct *cinfo = &self->cinfo;

  ms_jpeg_reader_start_rows(self);
  while (cinfo->output_scanline < cinfo->output_height)
    ms_jpeg_reader_read_row(self, self->pixels + (gsize)cinfo->output_scanline * cinfo->output_width * 4);
}

static void
read_image(MsJpegReader *self)
{
  struct jpeg_decompress_struct *cinfo = &self->cinfo;

  ms_jpeg_reader_read_header(self);
  /* All scans of a progressive file have to be decoded for any size. */
  if (self->reduction > 1 && jpeg_has_multiple_scans(cinfo))
    ms_set_error(&self->error, MS_ERROR_UNSUPPORTED, "'%s' is progressive, so it has no preview.", self->source->name);
  ms_jpeg_reader_stop_if(self, self->error != NULL);
  cinfo->scale_num = 1;
  cinfo->scale_denom = self->reduction;
  jpeg_calc_output_dimensions(cinfo);
  self->pixels = ms_image_source_alloc_pixels(self->source, cinfo->output_width, cinfo->output_height, &self->error);
  ms_jpeg_reader_stop_if(self, self->pixels == NULL);
  read_rows(self);

  self->metadata = ms_jpeg_metadata(&self->cinfo, self->source->limits->max_metadata);
  int width = cinfo->output_width;
  int height = cinfo->output_height;
  int orientation = ms_jpeg_reader_get_orientation(self);
  /* Reads to the end-of-image marker, because a file that lacks it is damaged. */
  jpeg_finish_decompress(cinfo);
  self->image =
    ms_image_source_finish(self->source, (MsStoredPixels){g_steal_pointer(&self->pixels), width, height, orientation},
                           self->metadata, &self->error);
}

static MsImage *
read_reduced(MsImageSource *source, guint reduction, GError **error)
{
  MsJpegReader *self = ms_jpeg_reader_new(source);

  self->reduction = reduction;
  ms_jpeg_reader_run(self, read_image);
  MsImage *image = self->image;
  if (self->error != NULL)
    g_propagate_error(error, self->error);
  ms_jpeg_reader_free(self);
  return image;
}

/**
 * ms_jpeg_read:
 * @source: a file that begins with the JPEG start-of-image marker
 *
 * Decodes directly into the block of pixels that the image keeps. A progressive file also needs memory for its
 * coefficients, up to 1.5 times as much (twice for CMYK).
 *
 * Files whose pixels are missing or wrong are refused, unless the limits accept them; see is_damage() in jpeg-reader.c.
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
  MsJpegReader *self = ms_jpeg_reader_new(source);
  gboolean ok;

  ms_jpeg_reader_run(self, ms_jpeg_reader_read_header);
  ok = self->error == NULL;
  if (ok) {
    int width = self->cinfo.image_width;
    int height = self->cinfo.image_height;
    gboolean swap = ms_orientation_swaps_sides(ms_jpeg_reader_get_orientation(self));
    header->width = swap ? height : width;
    header->height = swap ? width : height;
    header->bits = self->cinfo.data_precision;
  } else {
    g_propagate_error(error, self->error);
  }
  ms_jpeg_reader_free(self);
  return ok;
}
