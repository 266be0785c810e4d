/* SPDX-License-Identifier: MIT */
#include <string.h>

#include <tiffio.h>

#include "core/error.h"
#include "core/image/tiff.h"

/* Uncompressed bytes of a strip: enough for good compression, few enough for a reader's memory. */
#define STRIP_SIZE (256 << 10)

/* Largest part of a classic file, whose offsets have 32 bits, beside its strips: the directory. */
#define DIRECTORY_SIZE (1u << 20)

/* Bytes by which deflate may exceed a strip of noise, and the entries of the strip in the directory. */
#define STRIP_OVERHEAD 128
#define NOISE_PART 1000

#define SAMPLES_MOST 4

/*
 * @size: of the file so far; libtiff patches its header once it knows the place of the directory
 * @content: (nullable): the file, where the sink cannot rewrite its bytes, with a sink of its own
 */
typedef struct {
  MsImageSink *sink;
  guint64 size;
  guint64 at;
  GError *error;
  TIFF *tiff;
  guint8 *row;
  GByteArray *content;
  MsImageSink memory;
} TiffWriter;

G_GNUC_PRINTF(4, 0)
static int
on_error(TIFF *tiff, void *data, const char *module, const char *format, va_list arguments)
{
  TiffWriter *self = data;
  g_autofree char *message = g_strdup_vprintf(format, arguments);

  if (!self->error)
    ms_set_error(&self->error, MS_ERROR_IO, "Cannot write '%s' as TIFF (%s); try another format.", self->sink->name,
                 message);
  return 1;
}

static gboolean
append(TiffWriter *self, const void *data, gsize size)
{
  if (!self->sink->write(self->sink, data, size, &self->error))
    return FALSE;
  self->size += size;
  return TRUE;
}

/* libtiff leaves a byte out to align a directory; without a value the same picture would give different files. */
static gboolean
fill_gap(TiffWriter *self)
{
  static const guint8 zeros[16];

  while (self->size < self->at)
    if (!append(self, zeros, MIN(sizeof zeros, self->at - self->size)))
      return FALSE;
  return TRUE;
}

static tmsize_t
on_write(thandle_t handle, void *data, tmsize_t size)
{
  TiffWriter *self = handle;
  gsize old = self->at < self->size ? MIN((guint64)size, self->size - self->at) : 0;

  if (self->error || !fill_gap(self))
    return -1;
  if (old > 0 && !self->sink->rewrite(self->sink, self->at, data, old, &self->error))
    return -1;
  if (old < (gsize)size && !append(self, (const guint8 *)data + old, size - old))
    return -1;
  self->at += size;
  return size;
}

G_GNUC_PRINTF(4, 0)
static int
on_warning(TIFF *tiff, void *data, const char *module, const char *format, va_list arguments)
{
  return 1;
}

static tmsize_t
on_no_read(thandle_t handle, void *buffer, tmsize_t size)
{
  return -1;
}

static toff_t
on_seek(thandle_t handle, toff_t offset, int whence)
{
  TiffWriter *self = handle;

  switch (whence) {
  case SEEK_CUR:
    self->at += offset;
    break;
  case SEEK_END:
    self->at = self->size + offset;
    break;
  default:
    self->at = offset;
  }
  return self->at;
}

static toff_t
on_size(thandle_t handle)
{
  TiffWriter *self = handle;

  return self->size;
}

static int
on_close(thandle_t handle)
{
  return 0;
}

/* Rows of a strip: those of about STRIP_SIZE bytes. */
static guint32
strip_rows(int width, guint samples)
{
  return MAX(1, STRIP_SIZE / ((gsize)width * samples));
}

static guint64
count_strips(int width, int height, guint samples)
{
  return ((guint64)height - 1) / strip_rows(width, samples) + 1;
}

/**
 * ms_tiff_write_is_big:
 * @samples: a pixel
 * @profile: bytes of the colour profile and of the tags of maps
 *
 * Returns: whether an image of this size is written as BigTIFF: where a classic file, which ends at 4 GiB, might not
 *   hold it, however badly it compresses
 */
gboolean
ms_tiff_write_is_big(int width, int height, guint samples, gsize profile)
{
  guint64 raw = (guint64)width * (guint64)height * samples;
  guint64 most = raw + raw / NOISE_PART + count_strips(width, height, samples) * STRIP_OVERHEAD;

  return most + profile + DIRECTORY_SIZE > G_MAXUINT32;
}

static TIFF *
writer_open(TiffWriter *self, const char *mode)
{
  TIFFOpenOptions *options = TIFFOpenOptionsAlloc();

  TIFFOpenOptionsSetErrorHandlerExtR(options, on_error, self);
  TIFFOpenOptionsSetWarningHandlerExtR(options, on_warning, self);
  TIFF *tiff = TIFFClientOpenExt(self->sink->name, mode, self, on_no_read, on_write, on_seek, on_close, on_size, NULL,
                                 NULL, options);
  TIFFOpenOptionsFree(options);
  return tiff;
}

/* libtiff does not know these tags; it takes them as arrays with a count of 32 bits. */
static void
set_geo(TIFF *tiff, const MsGeo *geo)
{
  static const TIFFDataType types[] = {
    [MS_GEO_SHORTS] = TIFF_SHORT, [MS_GEO_DOUBLES] = TIFF_DOUBLE, [MS_GEO_TEXT] = TIFF_ASCII};

  for (guint i = 0; geo && i < MS_GEO_N_TAGS; i++) {
    const MsGeoTag *tag = &ms_geo_tags[i];
    const TIFFFieldInfo info = {tag->number, TIFF_VARIABLE2,   TIFF_VARIABLE2, types[tag->type], FIELD_CUSTOM, 1,
                                1,           (char *)tag->name};
    gsize size = 0;
    const void *values = geo->values[i] ? g_bytes_get_data(geo->values[i], &size) : NULL;

    if (!values || TIFFMergeFieldInfo(tiff, &info, 1) != 0)
      continue;
    TIFFSetField(tiff, tag->number, (guint32)(size / (gsize)TIFFDataWidth(info.field_type)), values);
  }
}

static void
set_metadata(TIFF *tiff, const MsMetadata *metadata, MsSaveNotes *notes)
{
  if (!metadata)
    return;
  if (metadata->x_pixels_per_metre > 0 && metadata->y_pixels_per_metre > 0) {
    TIFFSetField(tiff, TIFFTAG_RESOLUTIONUNIT, RESUNIT_CENTIMETER);
    TIFFSetField(tiff, TIFFTAG_XRESOLUTION, metadata->x_pixels_per_metre / 100.0);
    TIFFSetField(tiff, TIFFTAG_YRESOLUTION, metadata->y_pixels_per_metre / 100.0);
  }
  if (metadata->icc)
    TIFFSetField(tiff, TIFFTAG_ICCPROFILE, (guint32)g_bytes_get_size(metadata->icc),
                 g_bytes_get_data(metadata->icc, NULL));
  set_geo(tiff, metadata->geo);
  notes->exif_dropped = metadata->exif != NULL;
}

static void
set_tags(TIFF *tiff, const MsImageFrame *frame, guint samples, int level)
{
  guint16 alpha = EXTRASAMPLE_UNASSALPHA;

  TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, frame->width);
  TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, frame->height);
  TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, 8);
  TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, samples);
  TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_RGB);
  TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
  TIFFSetField(tiff, TIFFTAG_ORIENTATION, ORIENTATION_TOPLEFT);
  TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, strip_rows(frame->width, samples));
  if (samples == 4)
    TIFFSetField(tiff, TIFFTAG_EXTRASAMPLES, 1, &alpha);
  TIFFSetField(tiff, TIFFTAG_COMPRESSION, level > 0 ? COMPRESSION_ADOBE_DEFLATE : COMPRESSION_NONE);
  if (level == 0)
    return;
  TIFFSetField(tiff, TIFFTAG_ZIPQUALITY, level);
  TIFFSetField(tiff, TIFFTAG_PREDICTOR, PREDICTOR_HORIZONTAL);
}

/* Copies each row, because libtiff's predictor changes the row that it is given. */
static void
copy_row(const guint8 *pixels, guint8 *row, gsize n, guint samples)
{
  for (gsize x = 0; x < n; x++, pixels += 4, row += samples)
    memcpy(row, pixels, samples);
}

static const char *
get_mode(const MsImageFrame *frame, guint samples)
{
  const MsMetadata *metadata = frame->metadata;
  gsize profile = metadata && metadata->icc ? g_bytes_get_size(metadata->icc) : 0;

  for (guint i = 0; metadata && metadata->geo && i < MS_GEO_N_TAGS; i++)
    profile += metadata->geo->values[i] ? g_bytes_get_size(metadata->geo->values[i]) : 0;

  /* "m" keeps libtiff from mapping the file, which only exists while it is written. */
  return ms_tiff_write_is_big(frame->width, frame->height, samples, profile) ? "w8m" : "wm";
}

/* Passes on the first error of libtiff or of the sink. */
static gboolean
take_error(MsImageWriter *writer)
{
  TiffWriter *self = writer->encoder;

  if (!writer->error)
    writer->error = g_steal_pointer(&self->error);
  return !writer->error;
}

static guint
get_samples(const MsImageFrame *frame)
{
  return frame->is_opaque ? 3 : 4;
}

/* Where bytes of the sink cannot be rewritten, the file is built in memory first. */
static gboolean
begin(MsImageWriter *writer)
{
  TiffWriter *self = writer->encoder = g_new0(TiffWriter, 1);
  const MsImageFrame *frame = &writer->frame;
  const guint samples = get_samples(frame);

  self->content = writer->sink.rewrite ? NULL : g_byte_array_new();
  self->memory = ms_image_sink_in_memory(writer->sink.name, self->content, writer->sink.cancellable);
  self->sink = self->content ? &self->memory : &writer->sink;
  self->row = g_malloc((gsize)frame->width * SAMPLES_MOST);
  self->tiff = writer_open(self, get_mode(frame, samples));
  if (self->tiff) {
    set_tags(self->tiff, frame, samples, writer->options.compression);
    set_metadata(self->tiff, frame->metadata, &writer->notes);
  }
  return take_error(writer);
}

static gboolean
write_rows(MsImageWriter *writer, MsImage *rows)
{
  TiffWriter *self = writer->encoder;
  const gsize width = (gsize)writer->frame.width;

  for (int y = 0; y < ms_image_get_height(rows) && !ms_image_writer_is_cancelled(writer); y++) {
    copy_row(ms_image_get_pixels(rows) + (gsize)y * width * 4, self->row, width, get_samples(&writer->frame));
    if (TIFFWriteScanline(self->tiff, self->row, (guint32)(writer->y + y), 0) < 0)
      break;
  }
  return take_error(writer);
}

static gboolean
end(MsImageWriter *writer)
{
  TiffWriter *self = writer->encoder;

  TIFFWriteDirectory(self->tiff);
  TIFFCleanup(g_steal_pointer(&self->tiff));
  return take_error(writer) && (!self->content || ms_image_writer_put(writer, self->content->data, self->content->len));
}

static void
free_tiff(MsImageWriter *writer)
{
  TiffWriter *self = writer->encoder;

  g_clear_pointer(&self->tiff, TIFFCleanup);
  g_clear_pointer(&self->content, g_byte_array_unref);
  g_clear_error(&self->error);
  g_free(self->row);
  g_free(self);
}

/* Of a file that can be rewritten: a strip in libtiff, and its directory. */
static guint64
count_bytes(int width, int height, const MsSaveOptions *options)
{
  guint64 strip = MAX(STRIP_SIZE, (guint64)width * SAMPLES_MOST);

  return DIRECTORY_SIZE + 4 * strip + count_strips(width, height, SAMPLES_MOST) * STRIP_OVERHEAD;
}

/** ms_tiff_encoder: of the options, the compression is used: 0 stores samples, 1 to 9 deflates their differences. */
const MsImageEncoder ms_tiff_encoder = {begin, write_rows, end, free_tiff, count_bytes};

/* ---- Numbers of 32 bits. */

/* Columns and rows of a tile, which GDAL uses too. */
#define TILE_SIDE 256

/**
 * ms_tiff_numbers_are_big: whether numbers of this size are written as BigTIFF: where a classic file, which ends at 4
 * GiB, might not hold them, however badly they compress.
 */
gboolean
ms_tiff_numbers_are_big(int width, int height)
{
  const guint64 across = ((guint64)width + TILE_SIDE - 1) / TILE_SIDE,
                down = ((guint64)height + TILE_SIDE - 1) / TILE_SIDE, tile = TILE_SIDE * TILE_SIDE * sizeof(guint32);

  return across * down * (tile + tile / NOISE_PART + STRIP_OVERHEAD) + DIRECTORY_SIZE > G_MAXUINT32;
}

/* Readers take 0 for pixels without data, as the tags of GDAL say. */
static void
set_number_tags(TIFF *tiff, const MsNumbers *image)
{
  GBytes *values[MS_GEO_N_TAGS] = {NULL};
  MsGeo *geo = NULL;

  for (guint i = 0; i < MS_GEO_N_TAGS; i++) {
    const gboolean is_place = ms_geo_tags[i].number < MS_GEO_FIRST_OF_GDAL;
    values[i] = is_place && image->geo && image->geo->values[i] ? g_bytes_ref(image->geo->values[i]) : NULL;
  }
  values[MS_GEO_N_TAGS - 1] = g_bytes_new_static("0", 2);
  geo = ms_geo_new(values);
  TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, image->width);
  TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, image->height);
  TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, 32);
  TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, 1);
  TIFFSetField(tiff, TIFFTAG_SAMPLEFORMAT, SAMPLEFORMAT_UINT);
  TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
  TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
  TIFFSetField(tiff, TIFFTAG_TILEWIDTH, TILE_SIDE);
  TIFFSetField(tiff, TIFFTAG_TILELENGTH, TILE_SIDE);
  TIFFSetField(tiff, TIFFTAG_COMPRESSION, COMPRESSION_ADOBE_DEFLATE);
  set_geo(tiff, geo);
  ms_geo_unref(geo);
  for (guint i = 0; i < MS_GEO_N_TAGS; i++)
    g_clear_pointer(&values[i], g_bytes_unref);
}

/* Copies the part of the image that a tile covers; what lies outside is 0. */
static void
fill_tile(const MsNumbers *image, int left, int top, guint32 *tile)
{
  const gsize columns = (gsize)MIN(TILE_SIDE, image->width - left);
  const int rows = MIN(TILE_SIDE, image->height - top);

  memset(tile, 0, TILE_SIDE * TILE_SIDE * sizeof *tile);
  for (int y = 0; y < rows; y++)
    memcpy(tile + (gsize)y * TILE_SIDE, image->numbers + (gsize)(top + y) * image->width + left,
           columns * sizeof *tile);
}

static gboolean
write_tiles(TiffWriter *self, TIFF *tiff, const MsNumbers *image)
{
  g_autofree guint32 *tile = g_new(guint32, TILE_SIDE * TILE_SIDE);

  for (int y = 0; y < image->height; y += TILE_SIDE)
    for (int x = 0; x < image->width; x += TILE_SIDE) {
      if (g_cancellable_set_error_if_cancelled(self->sink->cancellable, &self->error))
        return FALSE;
      fill_tile(image, x, y, tile);
      if (TIFFWriteTile(tiff, tile, (guint32)x, (guint32)y, 0, 0) < 0)
        return FALSE;
    }
  return TRUE;
}

/**
 * ms_tiff_write_numbers:
 * @sink: one that can rewrite its bytes
 *
 * Writes unsigned numbers in tiles with deflate, as BigTIFF where a classic file might not hold them, and 0 as the
 * value of pixels without data.
 *
 * Returns: %FALSE with the error of the sink or %G_IO_ERROR_CANCELLED
 */
gboolean
ms_tiff_write_numbers(const MsNumbers *image, MsImageSink *sink, GError **error)
{
  TiffWriter self = {.sink = sink};
  TIFF *tiff = writer_open(&self, ms_tiff_numbers_are_big(image->width, image->height) ? "w8m" : "wm");

  if (tiff) {
    set_number_tags(tiff, image);
    if (write_tiles(&self, tiff, image))
      TIFFWriteDirectory(tiff);
    TIFFCleanup(tiff);
  }
  if (!self.error)
    return TRUE;
  g_propagate_error(error, self.error);
  return FALSE;
}
