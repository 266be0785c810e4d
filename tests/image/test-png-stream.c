/* SPDX-License-Identifier: MIT */
/* PNG compressed in bands by several threads: any decoder reads it, whatever the sizes, levels and threads. */
#include <string.h>

#include "core/error.h"
#include "core/image/image-save.h"
#include "core/image/png-stream.h"
#include "tests/support/cases.h"
#include "tests/support/image-files.h"

#define PNG_RGB 2
#define PNG_RGBA 6

static MsPngRows
rows_of(MsImage *image, guint samples)
{
  return (MsPngRows){NULL, NULL, ms_image_get_width(image), ms_image_get_height(image), samples};
}

/* The pieces for which the rows so far are enough. */
static guint
take_pieces(MsPngStream *stream, GByteArray *file)
{
  g_autoptr(GError) error = NULL;
  GBytes *piece;
  guint n = 0;

  for (; (piece = ms_png_stream_next(stream, &error)); n++) {
    ms_test_png_append(file, "IDAT", g_bytes_get_data(piece, NULL), g_bytes_get_size(piece));
    g_bytes_unref(piece);
  }
  g_assert_no_error(error);
  return n;
}

/*
 * A file of which only the compressed pixels come from the code under test, which gets @step rows at a time, whose
 * memory then changes.
 */
static GBytes *
make_file_in_steps(MsImage *image, guint samples, const MsPngPlan *plan, int level, int step, guint *n_pieces)
{
  const MsPngRows rows = rows_of(image, samples);
  const gsize stride = ms_image_get_stride(image);
  GByteArray *file = ms_test_png_begin(rows.width, rows.height, 8, samples == 3 ? PNG_RGB : PNG_RGBA);
  g_autoptr(MsPngStream) stream = ms_png_stream_new(&rows, plan, level, NULL);

  *n_pieces = 0;
  for (int y = 0; y < ms_image_get_height(image); y += step) {
    const int n = MIN(step, ms_image_get_height(image) - y);
    guint8 *pixels = g_memdup2(ms_image_get_pixels(image) + (gsize)y * stride, (gsize)n * stride);
    g_autoptr(MsImage) some = ms_image_new_take(ms_image_get_width(image), n, pixels, NULL);
    ms_png_stream_add(stream, some);
    *n_pieces += take_pieces(stream, file);
  }
  ms_test_png_append(file, "IEND", NULL, 0);
  return g_byte_array_free_to_bytes(file);
}

static GBytes *
make_file(MsImage *image, guint samples, const MsPngPlan *plan, int level, guint *n_pieces)
{
  return make_file_in_steps(image, samples, plan, level, ms_image_get_height(image), n_pieces);
}

static void
check_bands(MsImage *image, guint samples, gsize band_rows, guint threads, int level)
{
  MsPngPlan plan = {band_rows, threads};
  guint n;
  g_autoptr(GBytes) file = make_file(image, samples, &plan, level, &n);
  g_autoptr(MsImage) again = ms_test_decode(file);

  ms_test_assert_same_image(image, again);
  g_assert_cmpuint(n, ==, (ms_image_get_height(image) + band_rows - 1) / band_rows);
}

static void
test_sizes(void)
{
  static const int sizes[][2] = {{1, 1}, {1, 7}, {7, 1}, {3, 2}, {17, 31}, {1, 5000}, {5000, 1}, {255, 64}, {700, 65}};
  static const gsize bands[] = {1, 2, 31, 32, 64, 100000};

  for (gsize i = 0; i < G_N_ELEMENTS(sizes); i++)
    for (guint samples = 3; samples <= 4; samples++) {
      g_autoptr(MsImage) image = ms_test_image_random(sizes[i][0], sizes[i][1], 9 + i, samples == 3, NULL);
      for (gsize b = 0; b < G_N_ELEMENTS(bands); b++)
        check_bands(image, samples, bands[b], 3, 3);
    }
}

static void
test_levels(void)
{
  g_autoptr(MsImage) image = ms_test_image_smooth(300, 200, NULL);

  for (int level = 0; level <= 9; level++)
    for (guint threads = 1; threads <= 16; threads *= 4)
      check_bands(image, 3, 7, threads, level);
}

/* The bytes do not depend on the number and timing of threads. */
static void
test_repeatable(void)
{
  g_autoptr(MsImage) image = ms_test_image_random(200, 300, 5, TRUE, NULL);
  guint n;

  /* A fast level and one of zlib's. */
  for (int level = 3; level <= 6; level += 3) {
    MsPngPlan plan = {10, 1};
    g_autoptr(GBytes) expected = make_file(image, 3, &plan, level, &n);
    for (plan.threads = 2; plan.threads <= 32; plan.threads *= 2) {
      g_autoptr(GBytes) file = make_file(image, 3, &plan, level, &n);
      g_assert_true(g_bytes_equal(file, expected));
    }
  }
}

static void
test_plan(void)
{
  MsPngRows small = {NULL, NULL, 512, 512, 3};
  MsPngRows medium = {NULL, NULL, 2048, 2048, 4};
  MsPngRows large = {NULL, NULL, 16384, 16384, 3};
  MsPngRows wide = {NULL, NULL, 100000000, 2, 4};

  g_assert_cmpuint(ms_png_plan(&small, 1, FALSE).band_rows, ==, 512);
  g_assert_cmpuint(ms_png_plan(&small, 16, FALSE).band_rows, ==, 512);
  g_assert_cmpuint(ms_png_plan(&small, 1, TRUE).band_rows, ==, 512);
  g_assert_cmpuint(ms_png_plan(&medium, 1, FALSE).band_rows, ==, 2048);
  g_assert_cmpuint(ms_png_plan(&medium, 1, TRUE).band_rows, ==, (1 << 20) / (2048 * 4 + 1));
  g_assert_cmpuint(ms_png_plan(&medium, 2, FALSE).band_rows, ==, (1 << 20) / (2048 * 4 + 1));
  g_assert_cmpuint(ms_png_plan(&large, 0, FALSE).threads, ==, 1);
  g_assert_cmpuint(ms_png_plan(&large, 1, FALSE).band_rows, ==, (1 << 20) / (16384 * 3 + 1));
  g_assert_cmpuint(ms_png_plan(&wide, 2, FALSE).band_rows, ==, 1);
}

/* However the rows come, the file is the same: bands within them, bands of several parts, and both. */
static void
test_steps(void)
{
  g_autoptr(MsImage) image = ms_test_image_random(30, 47, 5, FALSE, NULL);

  for (guint threads = 1; threads <= 3; threads += 2)
    for (int step = 1; step < 50; step++) {
      const MsPngPlan plan = {9, threads};
      guint n, m;
      g_autoptr(GBytes) expected = make_file(image, 4, &plan, 3, &n);
      g_autoptr(GBytes) actual = make_file_in_steps(image, 4, &plan, 3, step, &m);
      g_assert_true(g_bytes_equal(expected, actual));
      g_assert_cmpuint(n, ==, m);
    }
}

/* ---- Through the codec: a large image with its metadata, and encoding that is cancelled. */

static GBytes *
encode_large(MsImage *image, guint threads)
{
  MsSaveOptions options = ms_save_options_default();
  g_autoptr(GError) error = NULL;

  options.format = MS_IMAGE_FORMAT_PNG;
  options.threads = threads;
  GBytes *file = ms_image_encode(image, &options, NULL, NULL, &error);
  g_assert_no_error(error);
  return file;
}

static void
test_large(void)
{
  g_autoptr(GBytes) exif = g_bytes_new("II*\0\010\0\0\0\0\0\0\0\0\0", 14);
  g_autoptr(MsMetadata) metadata = ms_metadata_new(NULL, exif, 3000, 3000);

  for (int opaque = 0; opaque < 2; opaque++) {
    g_autoptr(MsImage) image = ms_test_image_random(2000, 1503, 5, opaque, metadata);
    for (guint threads = 0; threads <= 4; threads += 2) {
      g_autoptr(GBytes) file = encode_large(image, threads);
      g_autoptr(MsImage) again = ms_test_decode(file);
      ms_test_assert_same_image(image, again);
      g_assert_cmpuint(ms_image_get_metadata(again)->x_pixels_per_metre, ==, 3000);
      g_assert_true(g_bytes_equal(ms_image_get_metadata(again)->exif, exif));
    }
  }
}

/* A target that cancels the encoding, or fails, when it has @left bytes to go. */
typedef struct {
  MsImageSink sink;
  gssize left;
  gboolean cancels;
} Target;

static gboolean
stopping_write(MsImageSink *sink, const void *data, gsize size, GError **error)
{
  Target *self = sink->target;

  self->left -= size;
  if (self->left > 0)
    return TRUE;
  if (self->cancels) {
    g_cancellable_cancel(sink->cancellable);
    return TRUE;
  }
  g_set_error(error, MS_ERROR, MS_ERROR_IO, "Cannot write 'x': the disk is full.");
  return FALSE;
}

static void
check_stop(MsImage *image, guint threads, gssize left, gboolean cancels)
{
  g_autoptr(GCancellable) cancellable = g_cancellable_new();
  Target target = {{.name = "x", .write = stopping_write, .cancellable = cancellable}, left, cancels};
  MsSaveOptions options = ms_save_options_default();
  g_autoptr(GError) error = NULL;

  target.sink.target = &target;
  options.format = MS_IMAGE_FORMAT_PNG;
  options.threads = threads;
  g_assert_false(ms_image_write(image, &target.sink, &options, NULL, &error));
  if (cancels)
    g_assert_error(error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  else
    g_assert_error(error, MS_ERROR, MS_ERROR_IO);
}

static void
test_stops(void)
{
  g_autoptr(MsImage) image = ms_test_image_random(2000, 1200, 5, TRUE, NULL);

  for (guint threads = 3; threads <= 5; threads++)
    for (gssize left = 1; left < 6000000; left += 1500000) {
      check_stop(image, threads, left, TRUE);
      check_stop(image, threads, left, FALSE);
    }
}

void
ms_test_png_stream(void)
{
  g_test_add_func("/png-stream/sizes", test_sizes);
  g_test_add_func("/png-stream/levels", test_levels);
  g_test_add_func("/png-stream/repeatable", test_repeatable);
  g_test_add_func("/png-stream/plan", test_plan);
  g_test_add_func("/png-stream/steps", test_steps);
  g_test_add_func("/png-stream/large", test_large);
  g_test_add_func("/png-stream/stops", test_stops);
}
