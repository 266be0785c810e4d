/* SPDX-License-Identifier: MIT */
#include <glib/gi18n-lib.h>
#include <string.h>

#include "core/error.h"
#include "core/image/tiff-private.h"
#include "core/image/tiff.h"

#define MOST_SAMPLES 16

/* Of the DNG specification; libtiff 4.5 has no name for it. */
#define PHOTOMETRIC_LINEAR_RAW 34892

/*
 * While a directory is read, libtiff complains of every tag that it cannot read, and opens the file nevertheless unless
 * pixels depend on that tag: only where it does not is the first complaint the reason.
 */
G_GNUC_PRINTF(4, 0)
static int
on_error(TIFF *tiff, void *data, const char *module, const char *format, va_list arguments)
{
  MsTiffReader *self = data;
  g_autofree char *message = g_strdup_vprintf(format, arguments);
  g_autofree char *name = g_strdup_printf("%s: ", TIFFFileName(tiff));
  const char *words = g_str_has_prefix(message, name) ? message + strlen(name) : message; /* which names the file */

  if (!self->is_open && !self->complaint)
    self->complaint = g_strdup(words);
  else if (self->is_open && !self->file->error && !(self->reads_rows && ms_image_file_accepts(self->file, words)))
    ms_codec_fail_damaged(self->file, words);
  return 1;
}

/*
 * Ignores most warnings, which are about tags that libtiff does not know or corrects. Those of libjpeg, and data that
 * end early, mean that pixels are wrong.
 */
G_GNUC_PRINTF(4, 0)
static int
on_warning(TIFF *tiff, void *data, const char *module, const char *format, va_list arguments)
{
  if (g_strcmp0(module, "JPEGLib") == 0 || strstr(format, "remature"))
    on_error(tiff, data, module, format, arguments);
  return 1;
}

/* Returns 0 on an error, because libtiff 4.5 adds a result of -1 to its position and writes before its buffer. */
static tmsize_t
on_read(thandle_t handle, void *buffer, tmsize_t size)
{
  MsTiffReader *self = handle;
  gssize got = self->file->error ? 0 : ms_image_file_read_at(self->file, self->at, buffer, size);

  self->at += MAX(got, 0);
  return MAX(got, 0);
}

static tmsize_t
on_no_write(thandle_t handle, void *buffer, tmsize_t size)
{
  return -1;
}

static toff_t
on_seek(thandle_t handle, toff_t offset, int whence)
{
  MsTiffReader *self = handle;

  switch (whence) {
  case SEEK_CUR:
    self->at += offset;
    break;
  case SEEK_END:
    self->at = self->file->size + offset;
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
  MsTiffReader *self = handle;

  return self->file->size;
}

/* Refuses camera makers' raw files, which have the form of TIFF: their first directory is only a preview. */
static gboolean
check_kind(MsTiffReader *self)
{
  guint32 subfile = 0;

  TIFFGetFieldDefaulted(self->tiff, TIFFTAG_SUBFILETYPE, &subfile);
  if (subfile & FILETYPE_REDUCEDIMAGE)
    return ms_codec_fail_kind(self->file, N_("a camera's raw data, whose first image is a preview"));
  if (self->photometric == PHOTOMETRIC_CFA || self->photometric == PHOTOMETRIC_LINEAR_RAW)
    return ms_codec_fail_kind(self->file, N_("a camera's raw data"));
  if (self->compression == COMPRESSION_OJPEG)
    return ms_codec_fail_kind(self->file, N_("JPEG compression of the obsolete kind"));
  if (!TIFFIsCODECConfigured(self->compression))
    return ms_codec_fail_kind(self->file, N_("a compression that the TIFF library lacks"));
  return TRUE;
}

static gboolean
has_signless_samples(const MsTiffReader *self)
{
  return self->format == SAMPLEFORMAT_UINT || self->format == SAMPLEFORMAT_VOID;
}

/* Whether the samples of a pixel follow each other, in a form that place_row() of tiff-pixels.c takes. */
static gboolean
are_plain(const MsTiffReader *self)
{
  return (self->planes == PLANARCONFIG_CONTIG || self->samples == 1) && self->samples >= self->colours &&
         self->samples <= MOST_SAMPLES;
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
    if (kind == EXTRASAMPLE_UNSPECIFIED && (extra > 1 || self->by_library))
      continue;
    self->alpha = self->colours + i;
    self->associated = kind == EXTRASAMPLE_ASSOCALPHA;
  }
}

/* Notes what is left out: alpha beside inks or where libtiff converts, and samples other than colours and alpha. */
static void
note_unread_samples(const MsTiffReader *self)
{
  guint16 n = 0;
  guint16 *kinds = NULL;
  MsImageHeader *header = &self->file->header;

  TIFFGetFieldDefaulted(self->tiff, TIFFTAG_EXTRASAMPLES, &n, &kinds);
  for (guint16 i = 0; i < n; i++)
    header->has_unread_alpha |= self->alpha == 0 && kinds[i] != EXTRASAMPLE_UNSPECIFIED;
  header->has_unread_channels = self->samples > self->colours + (self->alpha > 0 || header->has_unread_alpha ? 1 : 0);
}

/* (transfer full) (nullable): the colour profile, unless it is larger than the limits allow. */
static GBytes *
read_profile(MsTiffReader *self)
{
  guint32 size = 0;
  void *profile = NULL;

  return TIFFGetField(self->tiff, TIFFTAG_ICCPROFILE, &size, &profile) && size <= self->file->limits.max_metadata
           ? g_bytes_new(profile, size)
           : NULL;
}

/** ms_tiff_reader_is_lab: whether its colours are L*a*b* in one of two codings. */
gboolean
ms_tiff_reader_is_lab(const MsTiffReader *self)
{
  return self->photometric == PHOTOMETRIC_CIELAB || self->photometric == PHOTOMETRIC_ICCLAB;
}

/* Prepares the conversion of inks by their profile, and of L*a*b*, which needs none. */
static void
find_colour(MsTiffReader *self)
{
  g_autoptr(GBytes) icc = read_profile(self);
  guint16 inks = INKSET_CMYK;

  TIFFGetFieldDefaulted(self->tiff, TIFFTAG_INKSET, &inks);
  self->colours = self->photometric == PHOTOMETRIC_SEPARATED ? 4 : 3;
  if (!are_plain(self))
    return;
  if (self->photometric == PHOTOMETRIC_SEPARATED && inks == INKSET_CMYK && icc)
    self->colour = ms_colour_new(icc, MS_COLOUR_CMYK, NULL);
  else if (ms_tiff_reader_is_lab(self))
    self->colour = ms_colour_new(NULL, MS_COLOUR_LAB, NULL);
}

/* Finds who decodes the pixels; refuses what libtiff does not, or takes for something else. */
static gboolean
find_layout(MsTiffReader *self)
{
  char message[1024] = "";
  const gboolean is_of_words = self->bits == 8 || self->bits == 16;

  self->colours = self->photometric == PHOTOMETRIC_RGB ? 3 : 1;
  if (!has_signless_samples(self) || !(is_of_words || self->bits == 1 || self->bits == 2 || self->bits == 4))
    return ms_codec_fail_kind(self->file, N_("its samples are not unsigned numbers of 1, 2, 4, 8 or 16 bits"));
  switch (self->photometric) {
  case PHOTOMETRIC_PALETTE:
    if (self->bits > 8 ||
        !TIFFGetField(self->tiff, TIFFTAG_COLORMAP, &self->palette[0], &self->palette[1], &self->palette[2]))
      return ms_codec_fail_kind(self->file, N_("a palette that is missing or has more than 256 colours"));
    break;
  case PHOTOMETRIC_MINISWHITE:
  case PHOTOMETRIC_MINISBLACK:
  case PHOTOMETRIC_RGB:
    break;
  default:
    find_colour(self);
    self->by_library = !self->colour;
    break;
  }
  self->by_library |= !are_plain(self);
  if (self->by_library && !TIFFRGBAImageOK(self->tiff, message))
    return ms_codec_fail_kind(self->file, message);
  if (self->photometric <= PHOTOMETRIC_PALETTE)
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

/* Reads the size and the layout of the samples. */
static gboolean
read_header(MsTiffReader *self)
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
    return ms_codec_fail_damaged(self->file, N_("its header gives no valid size"));
  return check_kind(self) && find_layout(self) &&
         ms_image_file_check_size(self->file, self->width, self->height, least_bytes(self));
}

static gboolean
is_of_type(TIFFDataType stored, MsGeoType type)
{
  switch (type) {
  case MS_GEO_SHORTS:
    return stored == TIFF_SHORT;
  case MS_GEO_DOUBLES:
    return stored == TIFF_DOUBLE;
  case MS_GEO_TEXT:
    return stored == TIFF_ASCII;
  }
  g_assert_not_reached();
}

/*
 * The value that means no data is one of 8-bit samples that are kept as they are: others are reduced, so that pixels
 * with data would get it, too.
 */
static gboolean
keeps_tag(const MsTiffReader *self, const MsGeoTag *tag)
{
  return tag->number != MS_GEO_NO_DATA ||
         (self->bits == 8 && has_signless_samples(self) &&
          (self->photometric == PHOTOMETRIC_RGB || self->photometric == PHOTOMETRIC_MINISBLACK));
}

/* The bytes of a tag that libtiff does not know, which it reads as an array with a count of 32 bits. */
static GBytes *
read_geo_tag(MsTiffReader *self, const MsGeoTag *tag)
{
  const TIFFField *field = TIFFFindField(self->tiff, tag->number, TIFF_ANY);
  guint32 count = 0;
  void *values = NULL;

  if (!field || !is_of_type(TIFFFieldDataType(field), tag->type) || !TIFFFieldPassCount(field) ||
      TIFFFieldReadCount(field) != TIFF_VARIABLE2 || !TIFFGetField(self->tiff, tag->number, &count, &values))
    return NULL;
  const gsize size = (gsize)count * (gsize)TIFFDataWidth(TIFFFieldDataType(field));
  return values && size <= self->file->limits.max_metadata ? g_bytes_new(values, size) : NULL;
}

static MsGeo *
read_geo(MsTiffReader *self)
{
  GBytes *values[MS_GEO_N_TAGS];

  for (guint i = 0; i < MS_GEO_N_TAGS; i++)
    values[i] = keeps_tag(self, &ms_geo_tags[i]) ? read_geo_tag(self, &ms_geo_tags[i]) : NULL;
  MsGeo *geo = ms_geo_new(values);
  for (guint i = 0; i < MS_GEO_N_TAGS; i++)
    g_clear_pointer(&values[i], g_bytes_unref);
  return geo;
}

/* A picture that is turned upright lies elsewhere on the map; its value that means no data stays. */
static void
note_unread_geo(MsTiffReader *self)
{
  for (guint i = 0; i < MS_GEO_N_TAGS; i++) {
    g_autoptr(GBytes) value = read_geo_tag(self, &ms_geo_tags[i]);
    if (value && ms_geo_tags[i].number < MS_GEO_FIRST_OF_GDAL)
      self->file->header.has_unread_place |= self->orientation != 1;
    else if (value)
      self->file->header.has_unread_no_data |= !keeps_tag(self, &ms_geo_tags[i]);
  }
}

static MsMetadata *
read_metadata(MsTiffReader *self)
{
  float x = 0, y = 0;
  guint16 unit = RESUNIT_INCH;
  g_autoptr(GBytes) icc = read_profile(self);

  TIFFGetField(self->tiff, TIFFTAG_XRESOLUTION, &x);
  TIFFGetField(self->tiff, TIFFTAG_YRESOLUTION, &y);
  TIFFGetFieldDefaulted(self->tiff, TIFFTAG_RESOLUTIONUNIT, &unit);
  const double units = unit == RESUNIT_CENTIMETER ? 100 : unit == RESUNIT_NONE ? 0 : MS_INCHES_PER_METRE;
  MsMetadata *metadata =
    ms_metadata_new(icc, NULL, ms_pixels_per_metre((double)x, units), ms_pixels_per_metre((double)y, units));
  ms_metadata_take_geo(metadata, read_geo(self));
  return metadata;
}

static gboolean
open_directory(MsTiffReader *self)
{
  TIFFOpenOptions *options = TIFFOpenOptionsAlloc();
  guint64 most = MIN(self->file->limits.max_pixels, G_MAXINT64 / 64) * 4 * sizeof(double) + MS_TIFF_SMALL_ALLOCATION;

  TIFFOpenOptionsSetErrorHandlerExtR(options, on_error, self);
  TIFFOpenOptionsSetWarningHandlerExtR(options, on_warning, self);
  TIFFOpenOptionsSetMaxSingleMemAlloc(options, (tmsize_t)most);
  /*
   * "m" keeps the file from being mapped into memory: if another program truncated it, a mapping would end this
   * process.
   */
  self->tiff = TIFFClientOpenExt(self->file->name, "rm", self, on_read, on_no_write, on_seek, on_close, on_size, NULL,
                                 NULL, options);
  TIFFOpenOptionsFree(options);
  self->is_open = self->tiff != NULL;
  if (!self->is_open && self->complaint && strstr(self->complaint, "annot handle"))
    ms_codec_fail_kind(self->file, self->complaint);
  else if (!self->is_open)
    ms_codec_fail_damaged(self->file, self->complaint ? self->complaint : N_("it has no directory"));
  return self->is_open && !self->file->error;
}

/**
 * ms_tiff_open:
 * @file: begins with a TIFF or BigTIFF signature
 *
 * Reads the first directory: strips and tiles of unsigned samples of up to 16 bits, grey, RGB and palettes with or
 * without alpha, CMYK by its profile and L*a*b* by Little CMS; and what libtiff converts: planes, other colours, and
 * these without a profile.
 */
static void
ms_tiff_open(MsImageFile *file)
{
  MsTiffReader *self = file->decoder = g_new0(MsTiffReader, 1);
  guint64 exif = 0;

  self->file = file;
  if (!open_directory(self) || !read_header(self))
    return;
  if (self->orientation < 1 || self->orientation > 8)
    self->orientation = 1;
  ms_image_file_set_header(file, (int)self->width, (int)self->height, self->orientation, self->bits);
  file->header.has_more_images = !TIFFLastDirectory(self->tiff);
  file->header.has_plain_cmyk = self->photometric == PHOTOMETRIC_SEPARATED && !self->colour;
  note_unread_samples(self);
  note_unread_geo(self);
  file->header.has_unread_exif = TIFFGetField(self->tiff, TIFFTAG_EXIFIFD, &exif) != 0;
}

static void
ms_tiff_close(MsImageFile *file)
{
  MsTiffReader *self = file->decoder;

  if (self->tiff)
    TIFFClose(self->tiff);
  g_free(self->block);
  g_free(self->row);
  g_free(self->tiles);
  g_free(self->complaint);
  ms_colour_free(self->colour);
  g_free(self);
}

/*
 * Rows one by one are refused of a file that libtiff converts; otherwise one row of a file in strips is held, and one
 * row of tiles of a tiled one.
 */
static gboolean
start_tiff(MsImageFile *file, MsDecoding how)
{
  MsTiffReader *self = file->decoder;
  g_autoptr(MsMetadata) metadata = read_metadata(self);

  ms_image_file_set_stored(file, (int)self->width, (int)self->height, self->orientation, metadata);
  if (how == MS_DECODING_ROWS && self->by_library)
    return ms_image_file_refuse_rows(file, N_("stores its colours in planes or in a colour space that is converted"));
  file->has_alpha = self->alpha > 0;
  return ms_tiff_pixels_begin(self);
}

static void
read_tiff(MsImageFile *file, guint8 *into, int n)
{
  if (!ms_tiff_pixels_read(file->decoder, into, n))
    ms_codec_fail_damaged(file, N_("its pixels cannot be decoded"));
}

const MsImageDecoder ms_tiff_decoder = {TRUE, FALSE, ms_tiff_open, start_tiff, read_tiff, ms_tiff_close};
