/* SPDX-License-Identifier: MIT */
/* Decodes the pixels of a TIFF file into 8-bit RGBA. */
#include "core/image/tiff-private.h"

#include <math.h>
#include <string.h>

#include <glib/gi18n-lib.h>

#include "core/image/codec.h"

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

/* Sample @i of a row whose samples have less than 8 bits: they follow one another from the highest bit of a byte on. */
static guint8
from_bits(const MsTiffReader *self, const guint8 *stored, gsize i)
{
  const guint bits = self->bits, most = (1u << bits) - 1;
  const guint value = stored[i * bits / 8] >> (8 - bits - i * bits % 8) & most;

  return (guint8)(self->photometric == PHOTOMETRIC_PALETTE && i % self->samples == 0 ? value : value * 255 / most);
}

/* Whether colours multiplied by alpha are divided before they are reduced, which keeps those of faint pixels. */
static gboolean
divides_before(const MsTiffReader *self)
{
  return self->associated && self->bits == 16 && self->photometric != PHOTOMETRIC_MINISWHITE;
}

static void
divide_samples(MsTiffReader *self, const guint16 *stored, gsize n)
{
  for (gsize first = 0; first + self->samples <= n; first += self->samples) {
    const double alpha = stored[first + self->alpha] / 65535.0;
    for (guint k = 0; k < self->colours; k++)
      self->row[first + k] = alpha > 0 ? (guint8)MIN(lround(stored[first + k] / 65535.0 / alpha * 255), 255) : 0;
  }
}

/* Reduces @n samples to 8 bits; indices into a palette stay as they are. libtiff has converted the byte order. */
static const guint8 *
to_bytes(MsTiffReader *self, const guint8 *stored, gsize n)
{
  if (self->bits == 8)
    return stored;
  for (gsize i = 0; i < n; i++)
    self->row[i] =
      self->bits == 16 ? from_16(self, ((const guint16 *)stored)[i], i % self->samples) : from_bits(self, stored, i);
  if (divides_before(self))
    divide_samples(self, (const guint16 *)stored, n);
  return self->row;
}

/* Copies one sample of each of @n pixels into the RGBA pixels at @out. */
static void
place_sample(const MsTiffReader *self, const guint8 *in, guint sample, guint8 *out, gsize n)
{
  guint8 flip = self->photometric == PHOTOMETRIC_MINISWHITE && sample == 0 ? 255 : 0;

  for (gsize x = 0; x < n; x++, in += self->samples, out += 4) {
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

/* Divides the colours of a row that are stored multiplied by alpha. */
static void
divide_row(guint8 *out, gsize n)
{
  for (guint8 *p = out, *end = out + n * 4; p < end; p += 4)
    for (int k = 0; k < 3; k++)
      p[k] = p[3] == 0 ? 0 : MIN(255, (p[k] * 255 + p[3] / 2) / p[3]);
}

/* Unpacks a row of a strip or tile. White stays where the file has no sample. */
static void
place_row(MsTiffReader *self, const guint8 *stored, guint8 *out, gsize n)
{
  const guint8 *in = to_bytes(self, stored, n * self->samples);

  memset(out, 255, n * 4);
  for (guint sample = 0; sample < self->samples; sample++)
    if (sample < self->colours || sample == self->alpha)
      place_sample(self, in + sample, sample, out, n);
  if (self->associated && !divides_before(self))
    divide_row(out, n);
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

/* A block of @width pixels in each of @n rows, which begins at column @x: a row of a strip, or a tile. */
static gboolean
read_block(MsTiffReader *self, guint32 x, guint32 y, guint32 width, guint32 n, guint8 *out)
{
  const gsize stride = TIFFIsTiled(self->tiff) ? (gsize)TIFFTileRowSize(self->tiff) : 0;
  const gboolean is_good = stride > 0 ? TIFFReadTile(self->tiff, self->block, x, y, 0, 0) >= 0
                                      : TIFFReadScanline(self->tiff, self->block, y, 0) >= 0;

  for (guint32 row = 0; row < n; row++) {
    guint8 *first = out + ((gsize)row * self->width + x) * 4;
    if (is_good)
      place_row(self, self->block + row * stride, first, width);
    else
      ms_image_file_blacken(first, width);
  }
  return is_good || accepts_black(self);
}

/* Reads the rows from @y on that are read at once: one of strips, or those of a row of tiles. */
static gboolean
read_blocks(MsTiffReader *self, guint32 y, guint8 *out)
{
  for (guint64 x = 0; x < self->width; x += self->block_width)
    if (ms_image_file_is_cancelled(self->file) ||
        !read_block(self, (guint32)x, y, MIN(self->block_width, self->width - (guint32)x),
                    MIN(self->block_height, self->height - y), out))
      return FALSE;
  return TRUE;
}

static gboolean
read_row(MsTiffReader *self, guint32 y, guint8 *out)
{
  const gsize stride = (gsize)self->width * 4;

  if (y % self->block_height == 0 && !read_blocks(self, y, self->tiles ? self->tiles : out))
    return FALSE;
  if (self->tiles)
    memcpy(out, self->tiles + y % self->block_height * stride, stride);
  ms_image_file_report_rows(self->file, y + 1, self->height);
  return TRUE;
}

/*
 * libtiff packs each pixel into a word with red in the lowest byte and colours multiplied by alpha, and keeps the
 * file's order of rows if none is requested.
 */
static gboolean
read_converted_rows(MsTiffReader *self, TIFFRGBAImage *image, guint32 *out)
{
  guint32 rows = self->height;

  TIFFGetFieldDefaulted(self->tiff, TIFFIsTiled(self->tiff) ? TIFFTAG_TILELENGTH : TIFFTAG_ROWSPERSTRIP, &rows);
  image->req_orientation = image->orientation;
  for (guint64 y = 0; y < self->height; y += rows, out += (gsize)rows * self->width) {
    const guint32 n = MIN(rows, self->height - y);
    image->row_offset = (int)y;
    if (ms_image_file_is_cancelled(self->file) || !TIFFRGBAImageGet(image, out, self->width, n) || self->file->error)
      return FALSE;
    for (gsize i = 0; i < (gsize)n * self->width; i++)
      out[i] = GUINT32_TO_LE(out[i] | (self->alpha > 0 ? 0 : 0xff000000));
    if (self->alpha > 0)
      divide_row((guint8 *)out, (gsize)n * self->width);
    for (guint32 i = 1; i <= n; i++)
      ms_image_file_report_rows(self->file, y + i, self->height);
  }
  return TRUE;
}

static gboolean
read_converted(MsTiffReader *self, guint8 *into)
{
  TIFFRGBAImage image;
  char message[1024] = "";

  if (!TIFFRGBAImageBegin(&image, self->tiff, 1, message))
    return ms_codec_fail_kind(self->file, strstr(message, "can not handle image")
                                            ? N_("libtiff converts no such colours of so many bits a sample")
                                            : message);
  const gboolean good = read_converted_rows(self, &image, (guint32 *)into);
  TIFFRGBAImageEnd(&image);
  return good;
}

/** ms_tiff_pixels_begin: allocates what reading rows needs and says how much that is; %FALSE with the error. */
gboolean
ms_tiff_pixels_begin(MsTiffReader *self)
{
  const gboolean is_tiled = TIFFIsTiled(self->tiff);
  const guint64 size = is_tiled ? TIFFTileSize64(self->tiff) : TIFFScanlineSize64(self->tiff);

  if (self->by_library)
    return TRUE;
  self->block_width = self->width;
  self->block_height = 1;
  if (is_tiled) {
    TIFFGetField(self->tiff, TIFFTAG_TILEWIDTH, &self->block_width);
    TIFFGetField(self->tiff, TIFFTAG_TILELENGTH, &self->block_height);
  }
  if (size == 0 || (size > MS_TIFF_SMALL_ALLOCATION && size / 256 > (guint64)self->width * self->height))
    return ms_codec_fail_damaged(self->file, N_("its tiles are larger than the image"));
  const guint64 tiles = is_tiled ? (guint64)MIN(self->block_height, self->height) * self->width * 4 : 0;
  self->block = g_try_malloc(size);
  self->row = g_try_malloc((gsize)self->width * self->samples);
  self->tiles = tiles > 0 ? g_try_malloc(tiles) : NULL;
  if (!self->block || !self->row || (tiles > 0 && !self->tiles))
    return ms_image_file_fail_memory(self->file);
  self->file->row_memory = tiles + 2 * size;
  self->reads_rows = TRUE;
  return TRUE;
}

/** ms_tiff_pixels_read: decodes the next @n rows, which are all where libtiff converts; %FALSE when that fails. */
gboolean
ms_tiff_pixels_read(MsTiffReader *self, guint8 *into, int n)
{
  if (self->by_library)
    return read_converted(self, into);
  for (int i = 0; i < n; i++)
    if (!read_row(self, (guint32)(self->file->next_row + i), into + (gsize)i * self->width * 4))
      return FALSE;
  if (self->colour)
    ms_image_file_convert(self->file, self->colour, into, (gsize)self->width * (gsize)n);
  return self->file->error == NULL;
}
