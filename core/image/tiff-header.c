/* SPDX-License-Identifier: MIT */
#include "core/image/tiff-header.h"

#include <glib/gi18n-lib.h>

#define MOST_SAMPLES 16

/* Of the DNG specification; libtiff 4.5 has no name for it. */
#define PHOTOMETRIC_LINEAR_RAW 34892

/* Refuses camera makers' raw files, which have the form of TIFF: their first directory is only a preview. */
static gboolean
check_kind(MsTiffReader *self)
{
  guint32 subfile = 0;

  TIFFGetFieldDefaulted(self->tiff, TIFFTAG_SUBFILETYPE, &subfile);
  if (subfile & FILETYPE_REDUCEDIMAGE)
    return ms_tiff_reader_refuse(self, N_("a camera's raw data, whose first image is a preview"));
  if (self->photometric == PHOTOMETRIC_CFA || self->photometric == PHOTOMETRIC_LINEAR_RAW)
    return ms_tiff_reader_refuse(self, N_("a camera's raw data"));
  if (self->compression == COMPRESSION_OJPEG)
    return ms_tiff_reader_refuse(self, N_("JPEG compression of the obsolete kind"));
  if (!TIFFIsCODECConfigured(self->compression))
    return ms_tiff_reader_refuse(self, N_("a compression that the TIFF library lacks"));
  return TRUE;
}

static gboolean
has_plain_samples(const MsTiffReader *self)
{
  switch (self->format) {
  case SAMPLEFORMAT_UINT:
  case SAMPLEFORMAT_VOID:
    return self->bits == 1 || self->bits == 2 || self->bits == 4 || self->bits == 8 || self->bits == 16 ||
           self->bits == 32;
  case SAMPLEFORMAT_IEEEFP:
    return self->bits == 32 || self->bits == 64;
  default:
    return FALSE;
  }
}

/*
 * By the specification an extra sample is alpha only if the tag says so, but programs that write one extra sample
 * without the tag mean alpha.
 */
static void
find_alpha(MsTiffReader *self)
{
  guint16 n = 0;
  guint16 *kinds = NULL;
  int extra = self->samples - self->colours;

  TIFFGetFieldDefaulted(self->tiff, TIFFTAG_EXTRASAMPLES, &n, &kinds);
  for (int i = 0; i < extra && self->alpha == 0; i++) {
    guint16 kind = i < n ? kinds[i] : EXTRASAMPLE_UNSPECIFIED;
    if (kind == EXTRASAMPLE_UNSPECIFIED && extra > 1)
      continue;
    self->alpha = self->colours + i;
    self->associated = kind == EXTRASAMPLE_ASSOCALPHA;
  }
}

static gboolean
find_layout(MsTiffReader *self)
{
  self->colours = self->photometric == PHOTOMETRIC_RGB ? 3 : 1;
  switch (self->photometric) {
  case PHOTOMETRIC_PALETTE:
    if (self->bits > 8 || self->samples != 1 ||
        !TIFFGetField(self->tiff, TIFFTAG_COLORMAP, &self->palette[0], &self->palette[1], &self->palette[2]))
      return ms_tiff_reader_refuse(self, N_("a palette that is missing or has more than 256 colours"));
    break;
  case PHOTOMETRIC_MINISWHITE:
  case PHOTOMETRIC_MINISBLACK:
  case PHOTOMETRIC_RGB:
    break;
  default:
    self->by_library = TRUE;
    return TRUE;
  }
  if (self->samples < self->colours || self->samples > MOST_SAMPLES || !has_plain_samples(self))
    return ms_tiff_reader_refuse(
      self, "its samples are neither unsigned integers nor floating-point numbers of a common size");
  find_alpha(self);
  return TRUE;
}

/* The least size that a file of the image can have; the factors are the highest ratios of each compression. */
static guint64
least_bytes(const MsTiffReader *self)
{
  static const struct {
    guint16 compression;
    guint64 most;
  } factors[] = {
    {COMPRESSION_NONE, 1},
    {COMPRESSION_PACKBITS, 64},
    {COMPRESSION_LZW, 4096},
    {COMPRESSION_DEFLATE, 1032},
    {COMPRESSION_ADOBE_DEFLATE, 1032},
    {COMPRESSION_JPEG, 1024},
    {COMPRESSION_CCITTFAX3, 1 << 16},
  };
  guint64 factor = 1 << 20;
  guint64 pixels = (guint64)self->width * self->height;
  guint64 samples = self->by_library ? 1 : self->samples;

  for (gsize i = 0; i < G_N_ELEMENTS(factors); i++)
    if (factors[i].compression == self->compression)
      factor = factors[i].most;
  return pixels / 8 / factor * samples * self->bits;
}

/** ms_tiff_header_read: reads the size and the layout of the samples; %FALSE with the error in @self. */
gboolean
ms_tiff_header_read(MsTiffReader *self)
{
  TIFF *tiff = self->tiff;

  TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &self->width);
  TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &self->height);
  TIFFGetFieldDefaulted(tiff, TIFFTAG_BITSPERSAMPLE, &self->bits);
  TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLESPERPIXEL, &self->samples);
  TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLEFORMAT, &self->format);
  TIFFGetFieldDefaulted(tiff, TIFFTAG_PLANARCONFIG, &self->planes);
  TIFFGetFieldDefaulted(tiff, TIFFTAG_ORIENTATION, &self->orientation);
  TIFFGetFieldDefaulted(tiff, TIFFTAG_COMPRESSION, &self->compression);
  if (!TIFFGetField(tiff, TIFFTAG_PHOTOMETRIC, &self->photometric))
    self->photometric = self->samples >= 3 ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISBLACK;
  if (self->width == 0 || self->height == 0 || self->width > G_MAXINT || self->height > G_MAXINT)
    return ms_tiff_reader_damaged(self, N_("its header gives no valid size"));
  return check_kind(self) && find_layout(self) &&
         ms_image_source_check_size(self->source, self->width, self->height, least_bytes(self), &self->error);
}
