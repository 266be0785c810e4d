/* SPDX-License-Identifier: MIT */
#include "core/image/tiff-read.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#include "core/error.h"
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

static int
get_orientation(const MsTiffReader *self)
{
  return self->orientation >= 1 && self->orientation <= 8 ? self->orientation : 1;
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
  const MsStoredPixels stored = {g_steal_pointer(&self->pixels), (int)self->width, (int)self->height,
                                 get_orientation(self)};
  return ms_image_source_finish(self->source, stored, self->metadata, &self->error);
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

typedef struct {
  MsRowReader rows;
  MsTiffReader tiff;
  guint32 y;
} TiffRows;

/* Refuses a file that is valid but does not store the rows of the upright image in order. */
static gboolean
refuse_rows(MsTiffReader *self, const char *why)
{
  ms_set_error_phrase(&self->error, MS_ERROR_UNSUPPORTED, "'%s' %s, so that it cannot be read by rows.",
                      self->source->name, why);
  return FALSE;
}

static gboolean
begin_rows(TiffRows *self)
{
  MsTiffReader *tiff = &self->tiff;
  int orientation = 1;

  if (!ms_tiff_reader_open(tiff) || !ms_tiff_header_read(tiff))
    return FALSE;
  if (get_orientation(tiff) != 1)
    return refuse_rows(tiff, N_("is not stored upright"));
  if (!ms_tiff_pixels_are_rows(tiff))
    return refuse_rows(tiff, N_("stores its colours in planes or in a colour space that is converted"));
  tiff->metadata = read_metadata(tiff);
  self->rows.metadata = ms_image_source_upright_metadata(tiff->metadata, 1, &orientation);
  self->rows.width = tiff->width;
  self->rows.height = tiff->height;
  self->rows.has_alpha = tiff->alpha > 0;
  self->rows.bytes = ms_tiff_pixels_begin_rows(tiff);
  return self->rows.bytes > 0;
}

static gboolean
read_row(MsRowReader *rows, guint8 *row, GError **error)
{
  TiffRows *self = (TiffRows *)rows;

  if (ms_tiff_pixels_read_row(&self->tiff, self->y, row)) {
    self->y++;
    return TRUE;
  }
  ms_tiff_reader_damaged(&self->tiff, N_("its pixels cannot be decoded"));
  g_propagate_error(error, g_steal_pointer(&self->tiff.error));
  return FALSE;
}

static void
close_rows(MsRowReader *rows)
{
  TiffRows *self = (TiffRows *)rows;

  ms_tiff_reader_close(&self->tiff);
  g_clear_error(&self->tiff.error);
  g_clear_pointer(&rows->metadata, ms_metadata_unref);
  g_free(self);
}

/**
 * ms_tiff_open_rows:
 * @source: a file that begins with a TIFF or BigTIFF signature; must outlive the reader
 *
 * Holds one row of a file in strips, and one row of tiles of a tiled one.
 *
 * Returns: (transfer full): a reader of the rows, or %NULL with the errors of ms_tiff_read(), or %MS_ERROR_UNSUPPORTED
 *   for a file in planes, in a colour space that libtiff converts, or not stored upright
 */
MsRowReader *
ms_tiff_open_rows(MsImageSource *source, GError **error)
{
  TiffRows *self = g_new0(TiffRows, 1);

  self->tiff.source = source;
  self->rows.read = read_row;
  self->rows.close = close_rows;
  if (begin_rows(self))
    return &self->rows;
  g_propagate_error(error, g_steal_pointer(&self->tiff.error));
  close_rows(&self->rows);
  return NULL;
}
