/* SPDX-License-Identifier: MIT */
#include "core/image/tiff.h"

#include <math.h>
#include <string.h>

#include <tiffio.h>

#include "core/error.h"
#include "core/image/orientation.h"

/* Bytes that one allocation of libtiff may have beyond those of the image itself: directories and small strips. */
#define SMALL_ALLOCATION (64 << 20)

#define MOST_SAMPLES 16

/* Of the DNG specification; libtiff 4.5 has no name for it. */
#define PHOTOMETRIC_LINEAR_RAW 34892

/*
 * What decoding one file needs.
 * @samples: a pixel, of which @colours (1 or 3) come first
 * @alpha: the place of the alpha sample, 0 for none
 * @associated: whether colours are stored multiplied by alpha
 * @by_library: whether libtiff converts the colours (YCbCr, CMYK, CIE L*a*b*); such images have no alpha here
 */
typedef struct {
  MsImageSource *source;
  TIFF *tiff;
  guint64 at;
  guint32 width;
  guint32 height;
  guint16 bits;
  guint16 samples;
  guint16 format;
  guint16 planes;
  guint16 photometric;
  guint16 compression;
  guint16 orientation;
  guint16 colours;
  guint16 alpha;
  gboolean associated;
  gboolean by_library;
  guint16 *palette[3];
  guint8 *pixels;
  guint8 *block;
  guint8 *row;
  MsMetadata *metadata;
  GError *error;
} TiffReader;

/* ---- Reading: what libtiff calls. */

static int
on_error(TIFF *tiff, void *data, const char *module, const char *format, va_list arguments)
{
  TiffReader *self = data;
  g_autofree char *message = g_strdup_vprintf(format, arguments);

  if (self->error == NULL)
    g_set_error(&self->error, MS_ERROR, MS_ERROR_FORMAT, "'%s' is a damaged TIFF file (%s); get a fresh copy of it.",
                self->source->name, message);
  return 1;
}

/*
 * Ignores most warnings, which are about tags that libtiff does not know or corrects. Those of libjpeg, and data that
 * end early, mean that pixels are wrong.
 */
static int
on_warning(TIFF *tiff, void *data, const char *module, const char *format, va_list arguments)
{
  if (g_strcmp0(module, "JPEGLib") == 0 || strstr(format, "remature") != NULL)
    on_error(tiff, data, module, format, arguments);
  return 1;
}

/* Returns 0 on an error, because libtiff 4.5 adds a result of -1 to its position and writes before its buffer. */
static tmsize_t
on_read(thandle_t handle, void *buffer, tmsize_t size)
{
  TiffReader *self = handle;
  gsize got = 0;

  if (self->error != NULL || !ms_image_source_read_at(self->source, self->at, buffer, size, &got, &self->error))
    return 0;
  self->at += got;
  return got;
}

static tmsize_t
on_no_write(thandle_t handle, void *buffer, tmsize_t size)
{
  return -1;
}

static toff_t
on_seek(thandle_t handle, toff_t offset, int whence)
{
  TiffReader *self = handle;

  switch (whence) {
  case SEEK_CUR:
    self->at += offset;
    break;
  case SEEK_END:
    self->at = self->source->size + offset;
    break;
  default:
    self->at = offset;
  }
  return self->at;
}

static int
on_close(thandle_t handle)
{
  return 0;
}

static toff_t
on_size(thandle_t handle)
{
  TiffReader *self = handle;

  return self->source->size;
}

/* ---- Reading: the header. */

static gboolean
refuse(TiffReader *self, const char *kind)
{
  if (self->error == NULL)
    g_set_error(&self->error, MS_ERROR, MS_ERROR_FORMAT,
                "'%s' is of a kind of TIFF that cannot be read (%s); convert it to PNG.", self->source->name, kind);
  return FALSE;
}

static gboolean
damaged(TiffReader *self, const char *what)
{
  if (self->error == NULL)
    g_set_error(&self->error, MS_ERROR, MS_ERROR_FORMAT, "'%s' is a damaged TIFF file (%s); get a fresh copy of it.",
                self->source->name, what);
  return FALSE;
}

static gboolean
reader_open(TiffReader *self)
{
  TIFFOpenOptions *options = TIFFOpenOptionsAlloc();
  guint64 most = MIN(self->source->limits->max_pixels, G_MAXINT64 / 64) * 4 * sizeof(double) + SMALL_ALLOCATION;

  TIFFOpenOptionsSetErrorHandlerExtR(options, on_error, self);
  TIFFOpenOptionsSetWarningHandlerExtR(options, on_warning, self);
  TIFFOpenOptionsSetMaxSingleMemAlloc(options, (tmsize_t)most);
  /*
   * "m" keeps the file from being mapped into memory: if another program truncated it, a mapping would end this
   * process.
   */
  self->tiff = TIFFClientOpenExt(self->source->name, "rm", self, on_read, on_no_write, on_seek, on_close, on_size, NULL,
                                 NULL, options);
  TIFFOpenOptionsFree(options);
  if (self->tiff == NULL)
    damaged(self, "it has no directory");
  return self->tiff != NULL && self->error == NULL;
}

static void
reader_close(TiffReader *self)
{
  if (self->tiff != NULL)
    TIFFClose(self->tiff);
  g_clear_pointer(&self->metadata, ms_metadata_unref);
  g_free(self->pixels);
  g_free(self->block);
  g_free(self->row);
}

/* Refuses camera makers' raw files, which have the form of TIFF: their first directory is only a preview. */
static gboolean
check_kind(TiffReader *self)
{
  guint32 subfile = 0;

  TIFFGetFieldDefaulted(self->tiff, TIFFTAG_SUBFILETYPE, &subfile);
  if (subfile & FILETYPE_REDUCEDIMAGE)
    return refuse(self, "a camera's raw data, whose first image is a preview");
  if (self->photometric == PHOTOMETRIC_CFA || self->photometric == PHOTOMETRIC_LINEAR_RAW)
    return refuse(self, "a camera's raw data");
  if (self->compression == COMPRESSION_OJPEG)
    return refuse(self, "JPEG compression of the obsolete kind");
  if (!TIFFIsCODECConfigured(self->compression))
    return refuse(self, "a compression that the TIFF library lacks");
  return TRUE;
}

static gboolean
has_plain_samples(const TiffReader *self)
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
find_alpha(TiffReader *self)
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
find_layout(TiffReader *self)
{
  self->colours = self->photometric == PHOTOMETRIC_RGB ? 3 : 1;
  switch (self->photometric) {
  case PHOTOMETRIC_PALETTE:
    if (self->bits > 8 || self->samples != 1 ||
        !TIFFGetField(self->tiff, TIFFTAG_COLORMAP, &self->palette[0], &self->palette[1], &self->palette[2]))
      return refuse(self, "a palette that is missing or has more than 256 colours");
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
    return refuse(self, "its samples are neither unsigned integers nor floating-point numbers of a common size");
  find_alpha(self);
  return TRUE;
}

/* The least size that a file of the image can have; the factors are the highest ratios of each compression. */
static guint64
least_bytes(const TiffReader *self)
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

static guint32
pixels_per_metre(float value, guint16 unit)
{
  double result = rint(value * (unit == RESUNIT_CENTIMETER ? 100.0 : 1 / 0.0254));

  return unit != RESUNIT_NONE && result >= 1 && result <= G_MAXINT32 ? (guint32)result : 0;
}

static MsMetadata *
read_metadata(TiffReader *self)
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

static gboolean
read_header(TiffReader *self)
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
    return damaged(self, "its header gives no valid size");
  return check_kind(self) && find_layout(self) &&
         ms_image_source_check_size(self->source, self->width, self->height, least_bytes(self), &self->error);
}

/* ---- Reading: the pixels. */

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
to_bytes(TiffReader *self, const guint8 *stored, gsize n)
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
place_sample(const TiffReader *self, const guint8 *in, gsize step, guint sample, guint8 *out, gsize n)
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
place_row(TiffReader *self, const guint8 *stored, guint plane, guint8 *out, gsize n)
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
is_cancelled(TiffReader *self)
{
  return g_cancellable_set_error_if_cancelled(self->source->cancellable, &self->error);
}

static gboolean
read_strips(TiffReader *self, guint plane)
{
  for (guint32 y = 0; y < self->height; y++) {
    if (is_cancelled(self) || TIFFReadScanline(self->tiff, self->block, y, plane) < 0)
      return FALSE;
    place_row(self, self->block, plane, self->pixels + (gsize)y * self->width * 4, self->width);
  }
  return TRUE;
}

static gboolean
read_tile(TiffReader *self, guint32 x, guint32 y, guint32 width, guint32 height, guint plane)
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
read_tiles(TiffReader *self, guint plane)
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
alloc_block(TiffReader *self)
{
  guint64 size = TIFFIsTiled(self->tiff) ? TIFFTileSize64(self->tiff) : TIFFScanlineSize64(self->tiff);
  guint64 row = (guint64)(TIFFIsTiled(self->tiff) ? TIFFTileRowSize64(self->tiff) : size);

  if (size == 0 || (size > SMALL_ALLOCATION && size / 256 > (guint64)self->width * self->height))
    return damaged(self, "its tiles are larger than the image");
  self->block = g_try_malloc(size);
  self->row = g_try_malloc(row * 8);
  if (self->block == NULL || self->row == NULL)
    g_set_error(&self->error, MS_ERROR, MS_ERROR_MEMORY,
                "Not enough memory to read '%s'; close other programs or scale it down.", self->source->name);
  return self->error == NULL;
}

static gboolean
read_samples(TiffReader *self)
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
divide_by_alpha(TiffReader *self)
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
read_converted_rows(TiffReader *self, TIFFRGBAImage *image)
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
read_converted(TiffReader *self)
{
  TIFFRGBAImage image;
  char message[1024] = "";

  if (!TIFFRGBAImageOK(self->tiff, message) || !TIFFRGBAImageBegin(&image, self->tiff, 1, message))
    return refuse(self, message);
  gboolean ok = read_converted_rows(self, &image);
  TIFFRGBAImageEnd(&image);
  return ok;
}

static MsImage *
read_image(TiffReader *self)
{
  if (!reader_open(self) || !read_header(self))
    return NULL;
  self->pixels = ms_image_source_alloc_pixels(self->source, self->width, self->height, &self->error);
  if (self->pixels == NULL)
    return NULL;
  gboolean ok = self->by_library ? read_converted(self) : read_samples(self);
  if (!ok || self->error != NULL)
    return damaged(self, "its pixels cannot be decoded"), NULL;
  divide_by_alpha(self);
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
  TiffReader self = {.source = source};
  MsImage *image = read_image(&self);

  reader_close(&self);
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
  TiffReader self = {.source = source};

  if (reader_open(&self) && read_header(&self)) {
    gboolean swap = ms_orientation_swaps_sides(self.orientation);
    guint64 exif = 0;
    header->width = swap ? self.height : self.width;
    header->height = swap ? self.width : self.height;
    header->bits = self.bits;
    header->has_more_images = !TIFFLastDirectory(self.tiff);
    header->has_unread_exif = TIFFGetField(self.tiff, TIFFTAG_EXIFIFD, &exif) != 0;
  }
  reader_close(&self);
  if (self.error == NULL)
    return TRUE;
  g_propagate_error(error, self.error);
  return FALSE;
}
