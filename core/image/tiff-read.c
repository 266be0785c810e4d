/* SPDX-License-Identifier: MIT */
#include "core/image/tiff-read.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#include "core/image/metadata/orientation.h"
#include "core/image/tiff-header.h"
#include "core/image/tiff-pixels.h"

static guint32
pixels_per_metre(float value, guint16 unit)
{
  double result = rint(value * (unit == RESUNIT_CENTIMETER ? 100.0 : 1 / 0.0254));

  return unit != RESUNIT_NONE && result >= 1 && result <= G_MAXINT32 ? (guint32)result : 0;
}

static MsMetadata *
read_metadata(MsTiffReader *self)
{
  float x = 0, y = 0;
  guint16 unit = RESUNIT_INCH;
  guint32 size = 0;
  void *profile = NULL;
  g_autoptr(GBytes) icc = NULL;

  TIFFGetField(self->tiff, TIFFTAG_XRESOLUTION, &x);
  TIFFGetField(self->tiff, TIFFTAG_YRESOLUTION, &y);
  TIFFGetFieldDefaulted(self->tiff, TIFFTAG_RESOLUTIONUNIT, &unit);
  if (TIFFGetField(self->tiff, TIFFTAG_ICCPROFILE, &size, &profile) && size <= self->source->limits->max_metadata)
    icc = g_bytes_new(profile, size);
  guint32 x_metre = pixels_per_metre(x, unit);
  guint32 y_metre = pixels_per_metre(y, unit);
  return ms_metadata_new(icc, NULL, y_metre > 0 ? x_metre : 0, x_metre > 0 ? y_metre : 0);
}

static MsImage *
read_image(MsTiffReader *self)
{
  if (!ms_tiff_reader_open(self) || !ms_tiff_header_read(self))
    return NULL;
  self->pixels = ms_image_source_alloc_pixels(self->source, self->width, self->height, &self->error);
  if (self->pixels == NULL)
    return NULL;
  if (!ms_tiff_pixels_read(self))
    return ms_tiff_reader_damaged(self, N_("its pixels cannot be decoded")), NULL;
  self->metadata = read_metadata(self);
  int orientation = self->orientation >= 1 && self->orientation <= 8 ? self->orientation : 1;
  return ms_image_source_finish(self->source, g_steal_pointer(&self->pixels), self->width, self->height, self->metadata,
                                orientation, &self->error);
}

/**
 * ms_tiff_read:
 * @source: a file that begins with a TIFF or BigTIFF signature
 *
 * Reads the first image of the file: strips and tiles, one or more planes, grey, RGB and palettes of 1 to 32 bits and
 * floating-point samples with or without alpha; other colour spaces as libtiff converts them.
 *
 * Returns: (transfer full): the upright image, or %NULL with %MS_ERROR_FORMAT, %MS_ERROR_TOO_LARGE, %MS_ERROR_MEMORY,
 *   %MS_ERROR_IO or %G_IO_ERROR_CANCELLED
 */
MsImage *
ms_tiff_read(MsImageSource *source, GError **error)
{
  MsTiffReader self = {.source = source};
  MsImage *image = read_image(&self);

  ms_tiff_reader_close(&self);
  if (self.error != NULL) {
    g_clear_object(&image);
    g_propagate_error(error, self.error);
  }
  return image;
}

/**
 * ms_tiff_peek:
 * @header: (inout): all but the format is filled on success
 *
 * Reads the first directory and no pixels.
 *
 * Returns: FALSE with the errors of ms_tiff_read()
 */
gboolean
ms_tiff_peek(MsImageSource *source, MsImageHeader *header, GError **error)
{
  MsTiffReader self = {.source = source};

  if (ms_tiff_reader_open(&self) && ms_tiff_header_read(&self)) {
    gboolean swap = ms_orientation_swaps_sides(self.orientation);
    guint64 exif = 0;
    header->width = swap ? self.height : self.width;
    header->height = swap ? self.width : self.height;
    header->bits = self.bits;
    header->has_more_images = !TIFFLastDirectory(self.tiff);
    header->has_unread_exif = TIFFGetField(self.tiff, TIFFTAG_EXIFIFD, &exif) != 0;
  }
  ms_tiff_reader_close(&self);
  if (self.error == NULL)
    return TRUE;
  g_propagate_error(error, self.error);
  return FALSE;
}
