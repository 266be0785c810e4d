/* SPDX-License-Identifier: MIT */
#include "core/image/tiff-pixels.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "core/error.h"

static guint8
from_real(double value)
{
  /* A NaN fails both comparisons and becomes 0. */
  return value >= 1 ? 255 : value > 0 ? (guint8)(value * 255 + 0.5) : 0;
}

/*
 * Converts @n samples of any size to the nearest of 0 to 255. Indices into a palette stay as they are; the range of
 * floating-point samples is 0 to 1. libtiff has already converted the byte order.
 */
static const guint8 *
to_bytes(MsTiffReader *self, const guint8 *stored, gsize n)
{
  guint8 *out = self->row;
  guint most = self->bits < 8 ? (1u << self->bits) - 1 : 255;
  guint scale = self->photometric == PHOTOMETRIC_PALETTE ? 1 : 255 / most;

  if (self->bits == 8)
    return stored;
  for (gsize i = 0; i < n; i++) {
    if (self->bits < 8)
      out[i] = (stored[i * self->bits / 8] >> (8 - self->bits - i * self->bits % 8) & most) * scale;
    else if (self->bits == 16)
      out[i] = (((const guint16 *)stored)[i] * 255u + 32767) / 65535;
    else if (self->bits == 64)
      out[i] = from_real(((const double *)stored)[i]);
    else if (self->format == SAMPLEFORMAT_IEEEFP)
      out[i] = from_real(((const float *)stored)[i]);
    else
      out[i] = (((const guint32 *)stored)[i] * G_GUINT64_CONSTANT(255) + G_MAXINT32) / G_MAXUINT32;
  }
  return out;
}

/* Copies one sample of each of @n pixels, @step bytes apart, into the RGBA pixels at @out. */
static void
place_sample(const MsTiffReader *self, const guint8 *in, gsize step, guint sample, guint8 *out, gsize n)
{
  guint8 flip = self->photometric == PHOTOMETRIC_MINISWHITE && sample == 0 ? 255 : 0;

  for (gsize x = 0; x < n; x++, in += step, out += 4) {
    if (self->photometric == PHOTOMETRIC_PALETTE)
      for (int k = 0; k < 3; k++)
        out[k] = (self->palette[k][*in] * 255u + 32767) / 65535;
    else if (sample >= self->colours)
      out[3] = *in;
    else if (self->colours == 1)
      out[0] = out[1] = out[2] = *in ^ flip;
    else
      out[sample] = *in;
  }
}

/* Unpacks a row of a strip or tile, which holds all samples or those of one plane. */
static void
place_row(MsTiffReader *self, const guint8 *stored, guint plane, guint8 *out, gsize n)
{
  gboolean together = self->planes == PLANARCONFIG_CONTIG;
  gsize step = together ? self->samples : 1;
  const guint8 *in = to_bytes(self, stored, n * step);

  if (!together)
    place_sample(self, in, 1, plane, out, n);
  for (guint sample = 0; together && sample < self->samples; sample++)
    if (sample < self->colours || sample == self->alpha)
      place_sample(self, in + sample, step, sample, out, n);
}

static gboolean
is_cancelled(MsTiffReader *self)
{
  return g_cancellable_set_error_if_cancelled(self->source->cancellable, &self->error);
}

static gboolean
read_strips(MsTiffReader *self, guint plane)
{
  for (guint32 y = 0; y < self->height; y++) {
    if (is_cancelled(self) || TIFFReadScanline(self->tiff, self->block, y, plane) < 0)
      return FALSE;
    place_row(self, self->block, plane, self->pixels + (gsize)y * self->width * 4, self->width);
  }
  return TRUE;
}

static gboolean
read_tile(MsTiffReader *self, guint32 x, guint32 y, guint32 width, guint32 height, guint plane)
{
  gsize stride = TIFFTileRowSize(self->tiff);

  if (is_cancelled(self) || TIFFReadTile(self->tiff, self->block, x, y, 0, plane) < 0)
    return FALSE;
  for (guint32 row = 0; row < MIN(height, self->height - y); row++)
    place_row(self, self->block + row * stride, plane, self->pixels + ((gsize)(y + row) * self->width + x) * 4,
              MIN(width, self->width - x));
  return TRUE;
}

static gboolean
read_tiles(MsTiffReader *self, guint plane)
{
  guint32 width = 0;
  guint32 height = 0;

  TIFFGetField(self->tiff, TIFFTAG_TILEWIDTH, &width);
  TIFFGetField(self->tiff, TIFFTAG_TILELENGTH, &height);
  for (guint64 y = 0; y < self->height; y += height)
    for (guint64 x = 0; x < self->width; x += width)
      if (!read_tile(self, x, y, width, height, plane))
        return FALSE;
  return TRUE;
}

static gboolean
alloc_block(MsTiffReader *self)
{
  guint64 size = TIFFIsTiled(self->tiff) ? TIFFTileSize64(self->tiff) : TIFFScanlineSize64(self->tiff);
  guint64 row = (guint64)(TIFFIsTiled(self->tiff) ? TIFFTileRowSize64(self->tiff) : size);

  if (size == 0 || (size > MS_TIFF_SMALL_ALLOCATION && size / 256 > (guint64)self->width * self->height))
    return ms_tiff_reader_damaged(self, N_("its tiles are larger than the image"));
  self->block = g_try_malloc(size);
  self->row = g_try_malloc(row * 8);
  if (self->block == NULL || self->row == NULL)
    ms_set_error(&self->error, MS_ERROR_MEMORY,
                 "Not enough memory to read '%s'; close other programs or scale it down.", self->source->name);
  return self->error == NULL;
}

static gboolean
read_samples(MsTiffReader *self)
{
  guint planes = self->planes == PLANARCONFIG_CONTIG ? 1 : self->samples;

  if (!alloc_block(self))
    return FALSE;
  memset(self->pixels, 255, (gsize)self->width * self->height * 4);
  for (guint plane = 0; plane < planes; plane++) {
    gboolean needed = plane < self->colours || plane == self->alpha;
    if (needed && !(TIFFIsTiled(self->tiff) ? read_tiles : read_strips)(self, plane))
      return FALSE;
  }
  return TRUE;
}

/* Divides colours that are stored multiplied by alpha. */
static void
divide_by_alpha(MsTiffReader *self)
{
  gsize n = (gsize)self->width * self->height;

  for (guint8 *p = self->pixels; self->associated && n > 0; n--, p += 4)
    for (int k = 0; k < 3; k++)
      p[k] = p[3] == 0 ? 0 : MIN(255, (p[k] * 255 + p[3] / 2) / p[3]);
}

/*
 * libtiff packs each pixel into a word with red in the lowest byte, and keeps the file's order of rows if none is
 * requested.
 */
static gboolean
read_converted_rows(MsTiffReader *self, TIFFRGBAImage *image)
{
  guint32 rows = self->height;

  TIFFGetFieldDefaulted(self->tiff, TIFFIsTiled(self->tiff) ? TIFFTAG_TILELENGTH : TIFFTAG_ROWSPERSTRIP, &rows);
  image->req_orientation = image->orientation;
  for (guint64 y = 0; y < self->height; y += rows) {
    guint32 *out = (guint32 *)self->pixels + y * self->width;
    guint32 n = MIN(rows, self->height - y);
    image->row_offset = y;
    if (is_cancelled(self) || !TIFFRGBAImageGet(image, out, self->width, n) || self->error != NULL)
      return FALSE;
    for (gsize i = 0; i < (gsize)n * self->width; i++)
      out[i] = GUINT32_TO_LE(out[i] | 0xff000000);
  }
  return TRUE;
}

static gboolean
read_converted(MsTiffReader *self)
{
  TIFFRGBAImage image;
  char message[1024] = "";

  if (!TIFFRGBAImageOK(self->tiff, message) || !TIFFRGBAImageBegin(&image, self->tiff, 1, message))
    return ms_tiff_reader_refuse(self, message);
  gboolean ok = read_converted_rows(self, &image);
  TIFFRGBAImageEnd(&image);
  return ok;
}

/** ms_tiff_pixels_read: decodes into the pixels of @self; %FALSE when that fails. */
gboolean
ms_tiff_pixels_read(MsTiffReader *self)
{
  if (!(self->by_library ? read_converted(self) : read_samples(self)))
    return FALSE;
  divide_by_alpha(self);
  return self->error == NULL;
}
