/* SPDX-License-Identifier: MIT */
/* Decodes the pixels of a TIFF file into 8-bit RGBA, as a whole or row by row. */
#include "core/image/tiff-private.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "core/error.h"
#include "core/image/codec.h"

static guint8
from_real(double value)
{
  /* A NaN fails both comparisons and becomes 0. */
  return value >= 1 ? 255 : value > 0 ? (guint8)lround(value * 255) : 0;
}

/*
 * The nearest of 0 to 255 for a sample of 16 bits. Of L*a*b* L* in CIE's coding ends at 65535, that of ICC's at 65280,
 * and a* and b* of both are in 256ths, with a sign in CIE's.
 */
static guint8
from_16(const MsTiffReader *self, guint16 value, guint sample)
{
  if (!ms_tiff_reader_is_lab(self) || sample >= self->colours ||
      (sample == 0 && self->photometric == PHOTOMETRIC_CIELAB))
    return (guint8)((value * 255u + 32767) / 65535);
  if (self->photometric == PHOTOMETRIC_CIELAB)
    return (guint8)MIN(((gint16)value + 128) >> 8, 127);
  return (guint8)MIN((value + 128u) >> 8, 255);
}

/* A floating-point number of 16 bits: a sign, five bits of exponent and ten of fraction. */
static double
from_half(guint16 half)
{
  const int exponent = half >> 10 & 31;
  const double fraction = (half & 1023) / 1024.0;

  if (half >> 15 || (exponent == 31 && fraction > 0))
    return 0;
  return exponent == 31 ? 1 : exponent > 0 ? ldexp(1 + fraction, exponent - 15) : ldexp(fraction, -14);
}

/*
 * Sample @i of a row, of up to 32 bits: those of whole bytes are in the order of this machine, the others follow one
 * another from the highest bit of a byte on.
 */
static guint32
get_integer(const guint8 *stored, gsize i, guint bits)
{
  const gsize at = i * bits, end = (at + bits + 7) / 8;
  guint64 value = 0;

  if (bits == 16)
    return ((const guint16 *)stored)[i];
  if (bits == 32)
    return ((const guint32 *)stored)[i];
  for (gsize k = at / 8; k < end; k++)
    value = value << 8 | stored[bits == 24 && G_BYTE_ORDER == G_LITTLE_ENDIAN ? 2 * (i * 3 + 1) - k : k];
  return (guint32)(value >> (end * 8 - at - bits)) & (G_MAXUINT32 >> (32 - bits));
}

/* The range of integers with a sign begins at the lowest number, which this bit turns into 0. */
static guint32
sign_of(const MsTiffReader *self)
{
  return self->format == SAMPLEFORMAT_INT ? 1u << (self->bits - 1) : 0;
}

/* Sample @i of a row as a part of the greatest. */
static double
get_share(const MsTiffReader *self, const guint8 *stored, gsize i)
{
  if (self->format == SAMPLEFORMAT_IEEEFP)
    return self->bits == 16   ? from_half(((const guint16 *)stored)[i])
           : self->bits == 64 ? ((const double *)stored)[i]
                              : ((const float *)stored)[i];
  return (get_integer(stored, i, self->bits) ^ sign_of(self)) / (double)(G_MAXUINT32 >> (32 - self->bits));
}

/* The nearest of 0 to 255; indices into a palette stay as they are. */
static guint8
get_byte(const MsTiffReader *self, const guint8 *stored, gsize i, guint sample)
{
  if (self->photometric == PHOTOMETRIC_PALETTE && sample == 0)
    return (guint8)get_integer(stored, i, self->bits);
  if (self->bits == 16 && self->format != SAMPLEFORMAT_IEEEFP)
    return from_16(self, ((const guint16 *)stored)[i] ^ sign_of(self), sample);
  return from_real(get_share(self, stored, i));
}

/* Whether colours multiplied by alpha are divided before they are reduced, which keeps those of faint pixels. */
static gboolean
divides_before(const MsTiffReader *self)
{
  return self->associated && self->planes == PLANARCONFIG_CONTIG && self->bits > 8 &&
         self->photometric != PHOTOMETRIC_MINISWHITE;
}

static void
divide_samples(MsTiffReader *self, const guint8 *stored, gsize n)
{
  for (gsize first = 0; first + self->samples <= n; first += self->samples) {
    const double alpha = get_share(self, stored, first + self->alpha);
    for (guint k = 0; k < self->colours; k++)
      self->row[first + k] = alpha > 0 ? from_real(get_share(self, stored, first + k) / alpha) : 0;
  }
}

/*
 * Converts @n samples of any size to the nearest of 0 to 255; the range of floating-point samples is 0 to 1. libtiff
 * has already converted the byte order. A row of one plane has the samples of number @plane alone.
 */
static const guint8 *
to_bytes(MsTiffReader *self, const guint8 *stored, gsize n, guint plane)
{
  const gboolean together = self->planes == PLANARCONFIG_CONTIG;

  if (self->bits == 8 && self->format != SAMPLEFORMAT_INT)
    return stored;
  for (gsize i = 0; i < n; i++)
    self->row[i] = get_byte(self, stored, i, together ? i % self->samples : plane);
  if (divides_before(self))
    divide_samples(self, stored, n);
  return self->row;
}

/* The distance between samples of one channel in a row, which contains all channels or one plane. */
static gsize
sample_step(const MsTiffReader *self)
{
  return self->planes == PLANARCONFIG_CONTIG ? self->samples : 1;
}

/* Copies one sample of each of @n pixels into the RGBA pixels at @out. */
static void
place_sample(const MsTiffReader *self, const guint8 *in, guint sample, guint8 *out, gsize n)
{
  gsize step = sample_step(self);
  guint8 flip = self->photometric == PHOTOMETRIC_MINISWHITE && sample == 0 ? 255 : 0;

  for (gsize x = 0; x < n; x++, in += step, out += 4) {
    if (sample >= self->colours)
      out[3] = *in;
    else if (self->photometric == PHOTOMETRIC_PALETTE)
      for (int k = 0; k < 3; k++)
        out[k] = (self->palette[k][*in] * 255u + 32767) / 65535;
    else if (self->colours == 1)
      out[0] = out[1] = out[2] = *in ^ flip;
    else
      out[sample] = *in ^ (self->photometric == PHOTOMETRIC_CIELAB && sample > 0 ? 0x80 : 0);
  }
}

/* Unpacks a row of a strip or tile. White stays where the file has no sample. */
static void
place_row(MsTiffReader *self, const guint8 *stored, guint plane, guint8 *out, gsize n)
{
  gboolean together = self->planes == PLANARCONFIG_CONTIG;
  const guint8 *in = to_bytes(self, stored, n * sample_step(self), plane);

  if (plane == 0)
    memset(out, 255, n * 4);
  if (!together)
    place_sample(self, in, plane, out, n);
  for (guint sample = 0; together && sample < self->samples; sample++)
    if (sample < self->colours || sample == self->alpha)
      place_sample(self, in + sample, sample, out, n);
}

/*
 * Whether rows that cannot be decoded may be black, which the same bytes are in RGBA and in CMYK. An error of the
 * reader, such as a lack of memory, is no damage.
 */
static gboolean
accepts_black(MsTiffReader *self)
{
  return !self->file->error && self->reads_rows && !ms_tiff_reader_is_lab(self) &&
         ms_image_file_accepts(self->file, "its pixels cannot be decoded");
}

/* How many rows are read at once: one of a strip, or those of a row of tiles. */
static guint32
rows_at_once(const MsTiffReader *self)
{
  guint32 height = 1;

  if (TIFFIsTiled(self->tiff))
    TIFFGetField(self->tiff, TIFFTAG_TILELENGTH, &height);
  return MIN(height, self->height);
}

/* A block of @width pixels in each row, which begins at column @x: a row of a strip, or a tile. */
static gboolean
read_block(MsTiffReader *self, guint32 x, guint32 y, guint32 width, guint plane, guint8 *out)
{
  const guint32 n = MIN(rows_at_once(self), self->height - y);
  const gsize stride = TIFFIsTiled(self->tiff) ? (gsize)TIFFTileRowSize(self->tiff) : 0;
  const gboolean is_good = stride > 0 ? TIFFReadTile(self->tiff, self->block, x, y, 0, (guint16)plane) >= 0
                                      : TIFFReadScanline(self->tiff, self->block, y, (guint16)plane) >= 0;

  for (guint32 row = 0; row < n; row++) {
    guint8 *first = out + ((gsize)row * self->width + x) * 4;
    if (is_good)
      place_row(self, self->block + row * stride, plane, first, width);
    else
      ms_image_file_blacken(first, width);
  }
  return is_good || accepts_black(self);
}

/* Reads the rows from @y on that are read at once. */
static gboolean
read_rows(MsTiffReader *self, guint32 y, guint plane, guint8 *out)
{
  guint32 width = self->width;

  if (TIFFIsTiled(self->tiff))
    TIFFGetField(self->tiff, TIFFTAG_TILEWIDTH, &width);
  for (guint64 x = 0; x < self->width; x += width)
    if (ms_image_file_is_cancelled(self->file) ||
        !read_block(self, (guint32)x, y, MIN(width, self->width - (guint32)x), plane, out))
      return FALSE;
  return TRUE;
}

static guint
count_planes(const MsTiffReader *self)
{
  return self->planes == PLANARCONFIG_CONTIG ? 1 : self->samples;
}

static void
report_rows(const MsTiffReader *self, guint plane, guint64 first, guint64 end)
{
  for (guint64 y = first; y < end; y++)
    ms_image_file_report_rows(self->file, plane * (guint64)self->height + y + 1,
                              count_planes(self) * (guint64)self->height);
}

static guint64
block_size(const MsTiffReader *self)
{
  return TIFFIsTiled(self->tiff) ? TIFFTileSize64(self->tiff) : TIFFScanlineSize64(self->tiff);
}

static gboolean
alloc_block(MsTiffReader *self)
{
  const guint64 size = block_size(self);

  if (size == 0 || (size > MS_TIFF_SMALL_ALLOCATION && size / 256 > (guint64)self->width * self->height))
    return ms_codec_fail_damaged(self->file, N_("its tiles are larger than the image"));
  self->block = g_try_malloc(size);
  self->row = g_try_malloc((gsize)self->width * sample_step(self));
  return (self->block && self->row) || ms_image_file_fail_memory(self->file);
}

/** ms_tiff_pixels_are_rows: whether the rows of the image, which may not be upright, are stored one after another. */
gboolean
ms_tiff_pixels_are_rows(const MsTiffReader *self)
{
  return !self->by_library && count_planes(self) == 1;
}

/* Divides the colours of a row that are stored multiplied by alpha. */
static void
divide_row(const MsTiffReader *self, guint8 *out)
{
  for (guint8 *p = out, *end = out + (gsize)self->width * 4; p < end; p += 4)
    for (int k = 0; k < 3; k++)
      p[k] = p[3] == 0 ? 0 : MIN(255, (p[k] * 255 + p[3] / 2) / p[3]);
}

static gboolean
read_samples(MsTiffReader *self)
{
  const guint32 step = rows_at_once(self);
  const gsize stride = (gsize)self->width * 4;

  if (!alloc_block(self))
    return FALSE;
  self->reads_rows = ms_tiff_pixels_are_rows(self);
  for (guint plane = 0; plane < count_planes(self); plane++)
    for (guint64 y = 0; (plane < self->colours || plane == self->alpha) && y < self->height; y += step) {
      if (!read_rows(self, (guint32)y, plane, self->pixels + y * stride))
        return FALSE;
      report_rows(self, plane, y, MIN(y + step, self->height));
    }
  for (guint32 y = 0; self->associated && !divides_before(self) && y < self->height; y++) {
    divide_row(self, self->pixels + y * stride);
    if (self->file->scratch)
      ms_scratch_file_touch(self->file->scratch, stride);
  }
  return TRUE;
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
    if (ms_image_file_is_cancelled(self->file) || !TIFFRGBAImageGet(image, out, self->width, n) || self->file->error)
      return FALSE;
    for (gsize i = 0; i < (gsize)n * self->width; i++)
      out[i] = GUINT32_TO_LE(out[i] | 0xff000000);
    report_rows(self, 0, y, y + n);
  }
  return TRUE;
}

static gboolean
read_converted(MsTiffReader *self)
{
  TIFFRGBAImage image;
  char message[1024] = "";

  if (!TIFFRGBAImageOK(self->tiff, message) || !TIFFRGBAImageBegin(&image, self->tiff, 1, message))
    return ms_codec_fail_kind(self->file, strstr(message, "can not handle image")
                                            ? N_("libtiff converts no such colours of so many bits a sample")
                                            : message);
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
  if (self->colour)
    ms_image_file_convert(self->file, self->colour, self->pixels, (gsize)self->width * self->height);
  return self->file->error == NULL;
}

/**
 * ms_tiff_pixels_begin_rows: allocates what ms_tiff_pixels_read_row() needs; to be called where the rows are stored one
 * after another.
 *
 * Returns: the allocated bytes, 0 with the error in @self
 */
guint64
ms_tiff_pixels_begin_rows(MsTiffReader *self)
{
  const guint64 tiles = TIFFIsTiled(self->tiff) ? (guint64)rows_at_once(self) * self->width * 4 : 0;

  if (!alloc_block(self))
    return 0;
  self->reads_rows = TRUE;
  self->tiles = tiles > 0 ? g_try_malloc(tiles) : NULL;
  if (tiles > 0 && !self->tiles)
    return ms_image_file_fail_memory(self->file), 0;
  return tiles + 2 * block_size(self);
}

/** ms_tiff_pixels_read_row: decodes row @y, to be called for each row in order; %FALSE when that fails. */
gboolean
ms_tiff_pixels_read_row(MsTiffReader *self, guint32 y, guint8 *out)
{
  const gsize stride = (gsize)self->width * 4;
  const guint32 row = y % rows_at_once(self);

  if (row == 0 && !read_rows(self, y, 0, self->tiles ? self->tiles : out))
    return FALSE;
  if (self->tiles)
    memcpy(out, self->tiles + row * stride, stride);
  if (self->associated && !divides_before(self))
    divide_row(self, out);
  if (self->colour)
    ms_colour_convert(self->colour, out, self->width);
  return self->file->error == NULL;
}
