/* SPDX-License-Identifier: MIT */
/* PNG files whose pixels are inflated as a whole: every filter and colour type, and files that are read row by row. */
#include <string.h>

#include "core/error.h"
#include "core/image/image-io.h"
#include "core/image/png-private.h"
#include "tests/support/cases.h"
#include "tests/support/image-files.h"
#include "tests/support/png-peer.h"

typedef struct {
  int colour_type;
  int depth;
  int interlace;
  int filters;
  guint samples;
} Form;

static void
configure(png_structp png, png_infop info, gpointer form)
{
  png_set_filter(png, 0, ((const Form *)form)->filters);
  png_set_compression_buffer_size(png, 700);
}

/* A file by libpng's own encoder. */
static GBytes *
encode(const Form *form, guint8 *samples, int width, int height)
{
  const MsPngPeer peer = {.rows = samples,
                          .stride = (gsize)width * form->samples * form->depth / 8,
                          .width = width,
                          .height = height,
                          .depth = form->depth,
                          .colour_type = form->colour_type,
                          .interlace = form->interlace,
                          .configure = configure,
                          .data = (gpointer)form};

  return ms_png_peer_encode(&peer);
}

static gboolean
is_whole_for(GBytes *file, MsImageRows rows)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(MsImageFile) opened = ms_image_file_open_bytes(file, "test", NULL, NULL, &error);

  g_assert_no_error(error);
  opened->rows = rows;
  return ms_png_reader_inflate(opened->decoder);
}

static gboolean
is_whole(GBytes *file)
{
  return is_whole_for(file, NULL);
}

static guint8 *
make_samples(gsize n, guint32 seed)
{
  guint8 *samples = g_malloc(n);
  g_autoptr(GRand) rand = g_rand_new_with_seed(seed);
  int level = 128;

  /* Noise beside slopes, so that sums of neighbours wrap around and predictors tie. */
  for (gsize i = 0; i < n; i++) {
    level = g_rand_int_range(rand, 0, 8) == 0 ? g_rand_int_range(rand, 0, 256) : level + g_rand_int_range(rand, -1, 2);
    samples[i] = (guint8)level;
  }
  return samples;
}

static void
assert_pixels(MsImage *image, const Form *form, const guint8 *samples)
{
  const guint8 *pixel = ms_image_get_pixels(image);
  gsize n = (gsize)ms_image_get_width(image) * ms_image_get_height(image);

  for (gsize i = 0; i < n; i++, pixel += 4, samples += form->samples) {
    gboolean is_grey = form->samples < 3;
    g_assert_cmpuint(pixel[0], ==, samples[0]);
    g_assert_cmpuint(pixel[1], ==, is_grey ? samples[0] : samples[1]);
    g_assert_cmpuint(pixel[2], ==, is_grey ? samples[0] : samples[2]);
    g_assert_cmpuint(pixel[3], ==, form->samples % 2 == 0 ? samples[form->samples - 1] : 255);
  }
}

static void
check(const Form *form, int width, int height)
{
  g_autofree guint8 *samples = make_samples((gsize)width * height * form->samples, width * 100 + height);
  g_autoptr(GBytes) file = encode(form, samples, width, height);
  g_autoptr(MsImage) image = ms_test_decode(file);

  g_assert_true(is_whole(file));
  assert_pixels(image, form, samples);
}

static void
test_filters(void)
{
  static const Form forms[] = {
    {.colour_type = PNG_COLOR_TYPE_GRAY, .samples = 1},
    {.colour_type = PNG_COLOR_TYPE_GRAY_ALPHA, .samples = 2},
    {.colour_type = PNG_COLOR_TYPE_RGB, .samples = 3},
    {.colour_type = PNG_COLOR_TYPE_RGB_ALPHA, .samples = 4},
  };
  static const int filters[] = {PNG_FILTER_NONE, PNG_FILTER_SUB,   PNG_FILTER_UP,
                                PNG_FILTER_AVG,  PNG_FILTER_PAETH, PNG_ALL_FILTERS};
  static const int sizes[][2] = {{1, 1}, {1, 9}, {9, 1}, {2, 3}, {5, 4}, {17, 31}, {64, 33}};

  for (gsize i = 0; i < G_N_ELEMENTS(forms) * G_N_ELEMENTS(filters); i++) {
    Form form = forms[i % G_N_ELEMENTS(forms)];
    form.depth = 8;
    form.filters = filters[i / G_N_ELEMENTS(forms)];
    for (gsize s = 0; s < G_N_ELEMENTS(sizes); s++)
      check(&form, sizes[s][0], sizes[s][1]);
  }
}

static void
test_kinds(void)
{
  static const Form forms[] = {
    {PNG_COLOR_TYPE_RGB, 8, PNG_INTERLACE_ADAM7, PNG_ALL_FILTERS, 3},
    {PNG_COLOR_TYPE_GRAY, 16, PNG_INTERLACE_NONE, PNG_ALL_FILTERS, 1},
    {PNG_COLOR_TYPE_GRAY, 1, PNG_INTERLACE_ADAM7, PNG_ALL_FILTERS, 1},
    {PNG_COLOR_TYPE_RGB, 16, PNG_INTERLACE_NONE, PNG_ALL_FILTERS, 3},
  };

  for (gsize i = 0; i < G_N_ELEMENTS(forms); i++) {
    g_autofree guint8 *samples = make_samples(24 * 10 * 6, i);
    g_autoptr(GBytes) file = encode(&forms[i], samples, 24, 10);
    g_assert_true(is_whole(file) ==
                  (forms[i].depth * forms[i].samples <= 32 && forms[i].interlace == PNG_INTERLACE_NONE));
    g_object_unref(ms_test_decode(file));
  }
}

static void
ignore_rows(guint64 done, guint64 total, gpointer data)
{
}

/* Whole-file inflation would delay the progress of a large image. */
static void
test_large(void)
{
  static const Form form = {PNG_COLOR_TYPE_GRAY, 8, PNG_INTERLACE_NONE, PNG_FILTER_NONE, 1};
  g_autofree guint8 *samples = g_malloc0(8192 * 8200);
  g_autoptr(GBytes) file = encode(&form, samples, 8192, 8200);

  g_assert_true(is_whole(file));
  g_assert_false(is_whole_for(file, ignore_rows));
}

static GBytes *
encode_plain(void)
{
  static const Form form = {PNG_COLOR_TYPE_RGB, 8, PNG_INTERLACE_NONE, PNG_ALL_FILTERS, 3};
  g_autofree guint8 *samples = make_samples(60 * 40 * 3, 7);

  return encode(&form, samples, 60, 40);
}

/* A copy of @file with one byte changed, and the checksums of its chunks made right again where @repaired. */
static GBytes *
change(GBytes *file, gsize at, gboolean repaired)
{
  gsize size;
  guint8 *data = g_bytes_unref_to_data(g_bytes_new(g_bytes_get_data(file, NULL), g_bytes_get_size(file)), &size);

  data[at] ^= 0x55;
  if (repaired)
    ms_test_png_repair(data, size);
  return g_bytes_new_take(data, size);
}

static void
test_damaged(void)
{
  g_autoptr(GBytes) file = encode_plain();
  gsize pixels = ms_test_png_find(file, "IDAT") + 8;

  for (gsize at = pixels; at < pixels + 600; at += 37)
    for (int repaired = 0; repaired < 2; repaired++) {
      g_autoptr(GBytes) damaged = change(file, at, repaired);
      ms_test_assert_refused(damaged, MS_ERROR_FORMAT);
    }
  ms_test_assert_cut_refused(file, pixels, 101);
}

/* Sound but unusual: bytes after the stream of pixels are ignored, and one colour may be transparent. */
static void
test_unusual(void)
{
  g_autoptr(GBytes) file = encode_plain();
  g_autoptr(MsImage) image = ms_test_decode(file);
  gsize end = g_bytes_get_size(file) - 12, pixels = ms_test_png_find(file, "IDAT");
  const guint8 *data = g_bytes_get_data(file, NULL), key[6] = {0, data[pixels], 0, 0, 0, 0};
  GByteArray *more = g_byte_array_new(), *keyed = g_byte_array_new();

  g_byte_array_append(more, data, end);
  ms_test_png_append(more, "IDAT", "more", 4);
  g_byte_array_append(more, data + end, 12);
  g_autoptr(GBytes) with_more = g_byte_array_free_to_bytes(more);
  g_autoptr(MsImage) same = ms_test_decode(with_more);
  ms_test_assert_same_image(image, same);

  g_byte_array_append(keyed, data, pixels);
  ms_test_png_append(keyed, "tRNS", key, sizeof key);
  g_byte_array_append(keyed, data + pixels, end + 12 - pixels);
  g_autoptr(GBytes) with_key = g_byte_array_free_to_bytes(keyed);
  g_object_unref(ms_test_decode(with_key));
}

/* The bytes of all chunks of pixels. */
static GByteArray *
join_pixels(GBytes *file)
{
  GByteArray *pixels = g_byte_array_new();
  const guint8 *data = g_bytes_get_data(file, NULL), *end = data + g_bytes_get_size(file);
  guint32 size;

  for (data += 8; data < end; data += 12 + size) {
    memcpy(&size, data, sizeof size);
    size = GUINT32_FROM_BE(size);
    if (memcmp(data + 4, "IDAT", 4) == 0)
      g_byte_array_append(pixels, data + 8, size);
  }
  return pixels;
}

/* Wherever the first chunk of pixels ends, libpng gets the same rows; one that holds more than these is left to it. */
static void
test_splits(void)
{
  g_autoptr(GBytes) file = encode_plain();
  g_autoptr(MsImage) image = ms_test_decode(file);
  g_autoptr(GByteArray) pixels = join_pixels(file);
  g_autofree guint8 *behind = g_malloc0(60 * 40 * 4);
  const guint sizes[] = {0, 1, 2, 6, 7, 8, 100, pixels->len - 1, pixels->len, pixels->len + 1, 60 * 40 * 4};

  for (gsize i = 0; i < G_N_ELEMENTS(sizes); i++) {
    GByteArray *split = ms_test_png_begin(60, 40, 8, PNG_COLOR_TYPE_RGB);
    g_autoptr(GByteArray) all = g_byte_array_new();
    g_byte_array_append(all, pixels->data, pixels->len);
    g_byte_array_append(all, behind, sizes[i] - MIN(sizes[i], pixels->len));
    ms_test_png_append(split, "IDAT", all->data, sizes[i]);
    ms_test_png_append(split, "IDAT", all->data + sizes[i], all->len - sizes[i]);
    ms_test_png_append(split, "IEND", NULL, 0);
    g_autoptr(GBytes) other = g_byte_array_free_to_bytes(split);
    g_autoptr(MsImage) same = ms_test_decode(other);
    ms_test_assert_same_image(image, same);
    g_assert_true(is_whole(other) == (sizes[i] < 60 * 40 * 4));
  }
}

/* @file with a chunk of that type behind its pixels, with a wrong checksum where @is_broken. */
static GBytes *
put_behind(GBytes *file, const char *type, gboolean is_broken)
{
  gsize end = g_bytes_get_size(file) - 12;
  const guint8 *data = g_bytes_get_data(file, NULL);
  GByteArray *more = g_byte_array_new();

  g_byte_array_append(more, data, end);
  ms_test_png_append(more, type, "Comment\0words", 13);
  more->data[more->len - 1] ^= (guint8)is_broken;
  g_byte_array_append(more, data + end, 12);
  return g_byte_array_free_to_bytes(more);
}

/*
 * libpng goes on in the file behind the pixels; a broken chunk refuses the file where how the picture stands may depend
 * on it.
 */
static void
test_behind(void)
{
  static const char *const types[] = {"tEXt", "prVt", "eXIf", "PLTE", "IHDR", "t Xt"};
  const gsize n_sound = 3, n_dispensable = 2;
  g_autoptr(GBytes) file = encode_plain();
  g_autoptr(MsImage) image = ms_test_decode(file);

  for (gsize i = 0; i < G_N_ELEMENTS(types); i++) {
    g_autoptr(GBytes) with = put_behind(file, types[i], FALSE), broken = put_behind(file, types[i], TRUE);
    g_assert_true(is_whole(with) && is_whole(broken));
    if (i >= n_dispensable)
      ms_test_assert_refused(broken, MS_ERROR_FORMAT);
    if (i >= n_sound)
      continue;
    if (i < n_dispensable) {
      g_autoptr(MsImage) without = ms_test_decode(broken);
      ms_test_assert_same_image(image, without);
    }
    g_autoptr(MsImage) same = ms_test_decode(with);
    ms_test_assert_same_image(image, same);
  }
  g_autoptr(GBytes) second_header = put_behind(file, "IHDR", FALSE);
  ms_test_assert_refused(second_header, MS_ERROR_FORMAT);
}

void
ms_test_png_whole(void)
{
  g_test_add_func("/png-whole/filters", test_filters);
  g_test_add_func("/png-whole/kinds", test_kinds);
  g_test_add_func("/png-whole/large", test_large);
  g_test_add_func("/png-whole/damaged", test_damaged);
  g_test_add_func("/png-whole/unusual", test_unusual);
  g_test_add_func("/png-whole/splits", test_splits);
  g_test_add_func("/png-whole/behind", test_behind);
}
