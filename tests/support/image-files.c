/* SPDX-License-Identifier: MIT */
#include "tests/support/image-files.h"

#include <stdlib.h>
#include <string.h>

#include <glib/gstdio.h>

#include "core/error.h"
#include "core/image/image-save.h"

/* xorshift32: the same pixels on every machine. */
static guint32
next_random(guint32 *state)
{
  *state ^= *state << 13;
  *state ^= *state >> 17;
  *state ^= *state << 5;
  return *state;
}

/** ms_test_image_random: noise in all channels; the same for the same @seed, which is not 0. */
MsImage *
ms_test_image_random(int width, int height, guint32 seed, gboolean opaque, MsMetadata *metadata)
{
  gsize n = (gsize)width * height * 4;
  guint8 *pixels = g_malloc(n);

  for (gsize i = 0; i < n; i++)
    pixels[i] = opaque && i % 4 == 3 ? 255 : next_random(&seed) >> 24;
  return ms_image_new_take(width, height, pixels, metadata);
}

/** ms_test_image_smooth: opaque gradients that JPEG stores accurately; all corners differ. */
MsImage *
ms_test_image_smooth(int width, int height, MsMetadata *metadata)
{
  guint8 *pixels = g_malloc((gsize)width * height * 4);
  guint8 *p = pixels;

  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++, p += 4) {
      p[0] = 40 + 170 * x / width;
      p[1] = 30 + 190 * y / height;
      p[2] = 220 - 100 * (x + y) / (width + height);
      p[3] = 255;
    }
  return ms_image_new_take(width, height, pixels, metadata);
}

/** ms_test_assert_same_image: same size, same bytes. */
void
ms_test_assert_same_image(MsImage *a, MsImage *b)
{
  ms_test_assert_close_image(a, b, 0, 0);
}

/** ms_test_assert_close_image: same size, no channel further apart than @most, on average no more than @mean. */
void
ms_test_assert_close_image(MsImage *a, MsImage *b, int most, double mean)
{
  g_assert_cmpint(ms_image_get_width(a), ==, ms_image_get_width(b));
  g_assert_cmpint(ms_image_get_height(a), ==, ms_image_get_height(b));
  const guint8 *p = ms_image_get_pixels(a);
  const guint8 *q = ms_image_get_pixels(b);
  gsize n = ms_image_get_byte_size(a);
  double sum = 0;

  g_assert_cmpint(ms_image_compare(a, b).max_difference, <=, most);
  for (gsize i = 0; i < n; i++)
    sum += abs(p[i] - q[i]);
  g_assert_cmpfloat(sum / n, <=, mean);
}

/** ms_test_encode: the bytes of a file of @format with the default options. */
GBytes *
ms_test_encode(MsImage *image, MsImageFormat format)
{
  MsSaveOptions options = ms_save_options_default();
  g_autoptr(GError) error = NULL;

  options.format = format;
  GBytes *bytes = ms_image_encode(image, &options, NULL, NULL, &error);
  g_assert_no_error(error);
  return bytes;
}

/** ms_test_decode: the image in @bytes, which must be a sound file. */
MsImage *
ms_test_decode(GBytes *bytes)
{
  g_autoptr(GError) error = NULL;
  MsImage *image = ms_image_load_bytes(bytes, "test", NULL, NULL, &error);

  g_assert_no_error(error);
  g_assert_nonnull(image);
  return image;
}

/** ms_test_assert_refused: checks that @bytes are refused with @code and a sentence that names the file. */
void
ms_test_assert_refused(GBytes *bytes, int code)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(MsImage) image = ms_image_load_bytes(bytes, "the-file", NULL, NULL, &error);

  g_assert_null(image);
  g_assert_error(error, MS_ERROR, code);
  g_assert_nonnull(strstr(error->message, "'the-file'"));
  g_assert_true(g_str_has_suffix(error->message, "."));
}

/** ms_test_assert_cut_refused: checks that @file is refused when it is cut off at @first bytes, and @step further. */
void
ms_test_assert_cut_refused(GBytes *file, gsize first, gsize step)
{
  for (gsize size = first; size < g_bytes_get_size(file); size += step) {
    g_autoptr(GBytes) cut = g_bytes_new_from_bytes(file, 0, size);
    ms_test_assert_refused(cut, MS_ERROR_FORMAT);
  }
}

/** ms_test_load: (transfer full): a file that must load. */
MsImage *
ms_test_load(const char *path)
{
  g_autoptr(GError) error = NULL;
  MsImage *image = ms_image_load(path, NULL, NULL, &error);

  g_assert_no_error(error);
  return image;
}

/**
 * ms_test_assert_folder_refused: checks that no file of a folder of the common test pictures loads: it is invalid or,
 * with @too_large, too large.
 */
void
ms_test_assert_folder_refused(const char *name, const char *suffix, gboolean too_large)
{
  g_autofree char *folder = ms_test_pictures_folder(name);

  if (!folder)
    return;
  g_autoptr(GPtrArray) paths = ms_test_list_files(folder, suffix);
  for (guint i = 0; i < paths->len; i++) {
    g_autoptr(GError) error = NULL;
    g_assert_null(ms_image_load(g_ptr_array_index(paths, i), NULL, NULL, &error));
    if (!too_large || !g_error_matches(error, MS_ERROR, MS_ERROR_TOO_LARGE))
      g_assert_error(error, MS_ERROR, MS_ERROR_FORMAT);
  }
}

/**
 * ms_test_pictures_folder: a folder of the common test pictures; %NULL, and the test marked as skipped, where they are
 * absent.
 */
char *
ms_test_pictures_folder(const char *name)
{
  const char *root = g_getenv("MS_TEST_IMAGES");
  g_autofree char *folder = root ? g_build_filename(root, name, NULL) : NULL;

  if (folder && g_file_test(folder, G_FILE_TEST_IS_DIR))
    return g_steal_pointer(&folder);
  g_autofree char *reason =
    g_strdup_printf("The test pictures '%s' are not there; set MS_TEST_IMAGES to the folder that has them.", name);
  g_test_skip(reason);
  return NULL;
}

static int
compare_names(gconstpointer a, gconstpointer b)
{
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/** ms_test_list_files: (element-type filename): the paths in @folder that end in @suffix, in order; at least one. */
GPtrArray *
ms_test_list_files(const char *folder, const char *suffix)
{
  GPtrArray *paths = g_ptr_array_new_with_free_func(g_free);
  g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
  const char *name;

  g_assert_nonnull(dir);
  while ((name = g_dir_read_name(dir)))
    if (g_str_has_suffix(name, suffix))
      g_ptr_array_add(paths, g_build_filename(folder, name, NULL));
  g_assert_cmpuint(paths->len, >, 0);
  g_ptr_array_sort(paths, compare_names);
  return paths;
}

/** ms_test_folder_new: (transfer full): an empty folder; ms_test_folder_remove() removes it. */
char *
ms_test_folder_new(void)
{
  g_autoptr(GError) error = NULL;
  char *folder = g_dir_make_tmp("ms-test-XXXXXX", &error);

  g_assert_no_error(error);
  return folder;
}

/** ms_test_folder_count: how many entries a folder has, hidden ones too. */
guint
ms_test_folder_count(const char *folder)
{
  g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
  guint n = 0;

  g_assert_nonnull(dir);
  while (g_dir_read_name(dir))
    n++;
  return n;
}

/** ms_test_folder_remove: (transfer full): removes the folder and the files in it. */
void
ms_test_folder_remove(char *folder)
{
  GDir *dir = g_dir_open(folder, 0, NULL);
  const char *name;

  g_assert_nonnull(dir);
  while ((name = g_dir_read_name(dir))) {
    g_autofree char *path = g_build_filename(folder, name, NULL);
    g_assert_cmpint(g_remove(path), ==, 0);
  }
  g_dir_close(dir);
  g_assert_cmpint(g_rmdir(folder), ==, 0);
  g_free(folder);
}

/* CRC-32 as in the PNG specification, annex D, bit by bit. */
static guint32
crc32_of(const guint8 *data, gsize size)
{
  guint32 crc = 0xffffffff;

  for (gsize i = 0; i < size; i++) {
    crc ^= data[i];
    for (int k = 0; k < 8; k++)
      crc = crc & 1 ? 0xedb88320 ^ crc >> 1 : crc >> 1;
  }
  return ~crc;
}

static void
append_u32(GByteArray *file, guint32 value)
{
  guint32 big = GUINT32_TO_BE(value);

  g_byte_array_append(file, (const guint8 *)&big, 4);
}

/** ms_test_png_append: one chunk, with its length and a right checksum. */
void
ms_test_png_append(GByteArray *file, const char *type, const void *data, gsize size)
{
  append_u32(file, size);
  guint start = file->len;
  g_byte_array_append(file, (const guint8 *)type, 4);
  if (size > 0)
    g_byte_array_append(file, data, size);
  append_u32(file, crc32_of(file->data + start, size + 4));
}

/** ms_test_png_begin: (transfer full): the signature and header of a PNG file with these values. */
GByteArray *
ms_test_png_begin(guint32 width, guint32 height, int depth, int colour_type)
{
  GByteArray *file = g_byte_array_new();
  guint32 sides[2] = {GUINT32_TO_BE(width), GUINT32_TO_BE(height)};
  guint8 header[13] = {0};

  memcpy(header, sides, 8);
  header[8] = depth;
  header[9] = colour_type;
  g_byte_array_append(file, (const guint8 *)"\x89PNG\r\n\x1a\n", 8);
  ms_test_png_append(file, "IHDR", header, sizeof header);
  return file;
}

/** ms_test_png_find: the offset of the first chunk of a type (of its length field), 0 when there is none. */
gsize
ms_test_png_find(GBytes *file, const char *type)
{
  gsize size;
  const guint8 *data = g_bytes_get_data(file, &size);
  gsize at = 8;

  while (at + 12 <= size) {
    guint32 length;
    memcpy(&length, data + at, 4);
    if (memcmp(data + at + 4, type, 4) == 0)
      return at;
    at += 12 + (gsize)GUINT32_FROM_BE(length);
  }
  return 0;
}

/** ms_test_png_repair: corrects the checksums of all chunks, so that decoders accept damaged contents. */
void
ms_test_png_repair(guint8 *data, gsize size)
{
  gsize at = 8;

  while (at + 12 <= size) {
    guint32 length;
    memcpy(&length, data + at, 4);
    length = GUINT32_FROM_BE(length);
    if (length > size - at - 12)
      return;
    guint32 crc = GUINT32_TO_BE(crc32_of(data + at + 4, (gsize)length + 4));
    memcpy(data + at + 8 + length, &crc, 4);
    at += 12 + (gsize)length;
  }
}
