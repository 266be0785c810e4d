/* SPDX-License-Identifier: MIT */
#include "core/image/tiff-write.h"

#include <string.h>

#include <tiffio.h>

#include "core/error.h"

/* Uncompressed bytes of a strip: enough for good compression, few enough for a reader's memory. */
#define STRIP_SIZE (256 << 10)

/* Most bytes of pixels: offsets have 32 bits outside BigTIFF, and the last MiB is reserved for the directory. */
#define MOST_FILE (G_MAXUINT32 - (1u << 20))

/* The file is built in memory, because libtiff patches the header once it knows the place of the directory. */
typedef struct {
  MsImageSink *sink;
  GByteArray *content;
  guint64 at;
  guint8 *row;
  GError *error;
} TiffWriter;

static int
on_error(TIFF *tiff, void *data, const char *module, const char *format, va_list arguments)
{
  TiffWriter *self = data;
  g_autofree char *message = g_strdup_vprintf(format, arguments);

  if (self->error == NULL)
    ms_set_error(&self->error, MS_ERROR_IO, "Cannot write '%s' as TIFF (%s); try another format.", self->sink->name,
                 message);
  return 1;
}

static tmsize_t
on_write(thandle_t handle, void *data, tmsize_t size)
{
  TiffWriter *self = handle;
  guint64 end = self->at + size, old = self->content->len;

  if (end > MOST_FILE) {
    if (self->error == NULL)
      ms_set_error(&self->error, MS_ERROR_TOO_LARGE,
                   "Cannot write '%s': a TIFF file can have 4 GiB at most; save it as PNG.", self->sink->name);
    return -1;
  }
  if (end > old)
    g_byte_array_set_size(self->content, end);
  /* libtiff leaves a byte out to align a directory; without a value the same picture would give different files. */
  if (self->at > old)
    memset(self->content->data + old, 0, self->at - old);
  memcpy(self->content->data + self->at, data, size);
  self->at = end;
  return size;
}

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
    self->at = self->content->len + offset;
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

  return self->content->len;
}

static int
on_close(thandle_t handle)
{
  return 0;
}

static TIFF *
writer_open(TiffWriter *self)
{
  TIFFOpenOptions *options = TIFFOpenOptionsAlloc();

  TIFFOpenOptionsSetErrorHandlerExtR(options, on_error, self);
  TIFFOpenOptionsSetWarningHandlerExtR(options, on_warning, self);
  TIFF *tiff = TIFFClientOpenExt(self->sink->name, "wm", self, on_no_read, on_write, on_seek, on_close, on_size, NULL,
                                 NULL, options);
  TIFFOpenOptionsFree(options);
  return tiff;
}

static void
set_metadata(TIFF *tiff, MsMetadata *metadata, MsSaveNotes *notes)
{
  if (metadata == NULL)
    return;
  if (metadata->x_pixels_per_metre > 0 && metadata->y_pixels_per_metre > 0) {
    TIFFSetField(tiff, TIFFTAG_RESOLUTIONUNIT, RESUNIT_CENTIMETER);
    TIFFSetField(tiff, TIFFTAG_XRESOLUTION, metadata->x_pixels_per_metre / 100.0);
    TIFFSetField(tiff, TIFFTAG_YRESOLUTION, metadata->y_pixels_per_metre / 100.0);
  }
  if (metadata->icc != NULL)
    TIFFSetField(tiff, TIFFTAG_ICCPROFILE, (guint32)g_bytes_get_size(metadata->icc),
                 g_bytes_get_data(metadata->icc, NULL));
  notes->exif_dropped = metadata->exif != NULL;
}

static void
set_tags(TIFF *tiff, MsImage *image, guint samples, int level)
{
  gsize row = (gsize)ms_image_get_width(image) * samples;
  guint16 alpha = EXTRASAMPLE_UNASSALPHA;

  TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, ms_image_get_width(image));
  TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, ms_image_get_height(image));
  TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, 8);
  TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, samples);
  TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_RGB);
  TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
  TIFFSetField(tiff, TIFFTAG_ORIENTATION, ORIENTATION_TOPLEFT);
  TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, (guint32)MAX(1, STRIP_SIZE / row));
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

static gboolean
write_rows(TiffWriter *self, TIFF *tiff, MsImage *image, guint samples)
{
  const guint8 *pixels = ms_image_get_pixels(image);
  int height = ms_image_get_height(image);

  for (int y = 0; y < height; y++) {
    if (g_cancellable_set_error_if_cancelled(self->sink->cancellable, &self->error))
      return FALSE;
    copy_row(pixels + y * ms_image_get_stride(image), self->row, ms_image_get_width(image), samples);
    if (TIFFWriteScanline(tiff, self->row, y, 0) < 0)
      return FALSE;
  }
  return TRUE;
}

/**
 * ms_tiff_write:
 * @options: of which the compression is used: 0 stores the samples as they are, 1 to 9 deflates their differences
 * @notes: (inout): what could not be stored is set
 *
 * Returns: FALSE with the error of the sink, %MS_ERROR_TOO_LARGE or %G_IO_ERROR_CANCELLED
 */
gboolean
ms_tiff_write(MsImage *image, MsImageSink *sink, const MsSaveOptions *options, MsSaveNotes *notes, GError **error)
{
  g_autoptr(GByteArray) content = g_byte_array_new();
  g_autofree guint8 *row = g_malloc(ms_image_get_stride(image));
  TiffWriter self = {.sink = sink, .content = content, .row = row};
  guint samples = ms_image_has_transparency(image) ? 4 : 3;
  TIFF *tiff = writer_open(&self);

  if (tiff != NULL) {
    set_tags(tiff, image, samples, options->compression);
    set_metadata(tiff, ms_image_get_metadata(image), notes);
    if (write_rows(&self, tiff, image, samples))
      TIFFWriteDirectory(tiff);
    TIFFCleanup(tiff);
  }
  if (self.error == NULL)
    return sink->write(sink, content->data, content->len, error);
  g_propagate_error(error, self.error);
  return FALSE;
}
