/* SPDX-License-Identifier: MIT */
#include "core/regions/array-file.h"

#include <png.h>
#include <setjmp.h>

#include "core/error.h"
#include "core/image/codec.h"
#include "core/image/file/atomic-file.h"
#include "core/image/tiff.h"

/* The length of magic, version, length and dictionary of a .npy file is a multiple of this. */
#define NPY_ALIGNMENT 64
#define NPY_PREFIX 10

static gboolean
write_npy(MsAtomicFile *file, const MsPixelArray *array, GError **error)
{
  g_autoptr(GString) header = g_string_new("{'descr': '<u4', 'fortran_order': False, 'shape': (");
  const gsize row_length = (gsize)array->width * array->channels;
  g_autofree guint32 *row = g_new(guint32, row_length);

  g_string_append_printf(header, "%d, %d", array->height, array->width);
  if (array->channels > 1)
    g_string_append_printf(header, ", %d", array->channels);
  g_string_append(header, "), }");
  while ((header->len + 1 + NPY_PREFIX) % NPY_ALIGNMENT != 0)
    g_string_append_c(header, ' ');
  g_string_append_c(header, '\n');
  const guint8 prefix[NPY_PREFIX] = {
    0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, (guint8)(header->len & 255), (guint8)(header->len >> 8)};
  if (!ms_atomic_file_write(file, prefix, sizeof prefix, error) ||
      !ms_atomic_file_write(file, header->str, header->len, error))
    return FALSE;
  for (int y = 0; y < array->height; y++) {
    for (gsize i = 0; i < row_length; i++)
      row[i] = GUINT32_TO_LE(array->numbers[y * row_length + i]);
    if (!ms_atomic_file_write(file, row, row_length * sizeof *row, error))
      return FALSE;
  }
  return TRUE;
}

/* The stream that libpng writes to, and the error of a failed write. */
typedef struct {
  MsAtomicFile *file;
  GError *error;
} PngTarget;

static void
write_bytes(png_structp png, png_bytep data, png_size_t size)
{
  PngTarget *target = png_get_io_ptr(png);

  if (!ms_atomic_file_write(target->file, data, size, &target->error))
    png_error(png, "write");
}

static void
flush_bytes(png_structp png)
{
}

static void
write_png_rows(png_structp png, png_infop info, const MsPixelArray *array, guint8 *row)
{
  const int values = array->width * array->channels;
  const guint32 *numbers = array->numbers;

  png_set_IHDR(png, info, array->width, array->height, 16,
               array->channels == 1 ? PNG_COLOR_TYPE_GRAY : PNG_COLOR_TYPE_GRAY_ALPHA, PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_write_info(png, info);
  for (int y = 0; y < array->height; y++) {
    for (int i = 0; i < values; i++, numbers++) {
      row[2 * i] = (guint8)(*numbers >> 8);
      row[2 * i + 1] = (guint8)*numbers;
    }
    png_write_row(png, row);
  }
  png_write_end(png, info);
}

static gboolean
write_png(MsAtomicFile *file, const MsPixelArray *array, GError **error)
{
  PngTarget target = {file, NULL};
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
  png_infop info = png ? png_create_info_struct(png) : NULL;
  g_autofree guint8 *row = g_malloc((gsize)array->width * array->channels * 2);
  gboolean good = info != NULL;

  if (good && setjmp(png_jmpbuf(png)) == 0) {
    png_set_write_fn(png, &target, write_bytes, flush_bytes);
    write_png_rows(png, info, array, row);
  } else {
    if (target.error)
      g_propagate_error(error, target.error);
    else
      ms_set_error_literal(error, MS_ERROR_IO, "libpng cannot write the file.");
    png_destroy_write_struct(&png, &info);
    return FALSE;
  }
  png_destroy_write_struct(&png, &info);
  return TRUE;
}

static gboolean
append_bytes(MsImageSink *sink, const void *data, gsize size, GError **error)
{
  return ms_atomic_file_write(sink->target, data, size, error);
}

static gboolean
rewrite_bytes(MsImageSink *sink, guint64 offset, const void *data, gsize size, GError **error)
{
  return ms_atomic_file_rewrite(sink->target, offset, data, size, error);
}

static gboolean
write_tiff(MsAtomicFile *file, const MsPixelArray *array, GError **error)
{
  const MsCodec *codec = ms_codec_get(MS_IMAGE_FORMAT_TIFF);
  MsImageSink sink = {"labels", append_bytes, rewrite_bytes, file, NULL};
  const MsNumbers numbers = {array->numbers, array->width, array->height, array->geo};

  return codec->write_numbers(&numbers, &sink, error);
}

/* @most: the largest number that the format can store; @most_channels: and how many a pixel has */
typedef struct {
  const char *extension;
  guint32 most;
  int most_channels;
  gboolean (*write)(MsAtomicFile *file, const MsPixelArray *array, GError **error);
} Format;

static const Format formats[] = {{".png", G_MAXUINT16, 2, write_png},
                                 {".npy", G_MAXUINT32, G_MAXINT, write_npy},
                                 {".tif", G_MAXUINT32, 1, write_tiff},
                                 {".tiff", G_MAXUINT32, 1, write_tiff}};

static const Format *
find_format(const char *path, int channels)
{
  for (gsize i = 0; i < G_N_ELEMENTS(formats); i++)
    if (g_str_has_suffix(path, formats[i].extension) && channels <= formats[i].most_channels)
      return &formats[i];
  return NULL;
}

/**
 * ms_array_file_check:
 * @channels: numbers of a pixel
 *
 * Returns: %FALSE with #MS_ERROR_USAGE where the name of @path ends in no format for so many
 */
gboolean
ms_array_file_check(const char *path, int channels, GError **error)
{
  if (find_format(path, channels))
    return TRUE;
  if (channels > 1)
    ms_set_error(error, MS_ERROR_USAGE, "'%s' must end in .png or .npy.", path);
  else
    ms_set_error(error, MS_ERROR_USAGE, "'%s' must end in .png, .npy or .tif.", path);
  return FALSE;
}

/** ms_array_file_keeps_place: whether the place on the map is kept in a file of that name. */
gboolean
ms_array_file_keeps_place(const char *path)
{
  const Format *format = find_format(path, 1);

  return format && format->write == write_tiff;
}

/**
 * ms_array_file_save:
 * @path: a name that ends in .npy, .png, or .tif for one channel
 *
 * Returns: %FALSE with #MS_ERROR_USAGE for another name, #MS_ERROR_UNSUPPORTED where a PNG has too few bits, or as
 *   ms_atomic_file_open() does
 */
gboolean
ms_array_file_save(const char *path, const MsPixelArray *array, gboolean overwrite, GCancellable *cancellable,
                   GError **error)
{
  const Format *format = find_format(path, array->channels);

  if (!ms_array_file_check(path, array->channels, error))
    return FALSE;
  if (array->largest > format->most) {
    ms_set_error(error, MS_ERROR_UNSUPPORTED,
                 "A PNG holds numbers up to %u, '%s' needs %u; choose a name that ends in .npy or .tif.", format->most,
                 path, array->largest);
    return FALSE;
  }
  g_autoptr(MsAtomicFile) file = ms_atomic_file_open(path, overwrite, cancellable, error);
  return file && format->write(file, array, error) && ms_atomic_file_commit(file, error);
}
