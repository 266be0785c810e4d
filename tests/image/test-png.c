/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "core/error.h"
#include "core/image/image-io.h"
#include "core/image/image-save.h"
#include "tests/image/format-steps.h"
#include "tests/support/cases.h"
#include "tests/support/image-files.h"
#include "tests/support/png-peer.h"

/*
 * ---- Files of every colour type, written by libpng from random samples, and what must come out by the specification.
 */

typedef struct {
  int colour_type;
  int depth;
  gboolean interlaced;
  gboolean transparent; /* has a tRNS chunk */
} Kind;

#define SIDE_X 37
#define SIDE_Y 29
#define MOST_COLOURS 256

typedef struct {
  Kind kind;
  guint16 samples[SIDE_Y][SIDE_X][4];
  png_color palette[MOST_COLOURS];
  guint8 palette_alpha[MOST_COLOURS];
  png_color_16 key;
} Stored;

static int
channels_of(int colour_type)
{
  switch (colour_type) {
  case PNG_COLOR_TYPE_RGB:
    return 3;
  case PNG_COLOR_TYPE_RGB_ALPHA:
    return 4;
  case PNG_COLOR_TYPE_GRAY_ALPHA:
    return 2;
  default:
    return 1;
  }
}

static void
fill_stored(Stored *self, Kind kind, GRand *random)
{
  int most = (1 << kind.depth) - 1;

  self->kind = kind;
  for (int y = 0; y < SIDE_Y; y++)
    for (int x = 0; x < SIDE_X; x++)
      for (int k = 0; k < 4; k++)
        self->samples[y][x][k] = g_rand_int_range(random, 0, most + 1);
  for (int i = 0; i < MOST_COLOURS; i++) {
    self->palette[i] = (png_color){g_rand_int(random), g_rand_int(random), g_rand_int(random)};
    self->palette_alpha[i] = g_rand_int(random);
  }
  /* The transparent colour is that of a pixel in the middle, so that at least one is. */
  guint16 *middle = self->samples[SIDE_Y / 2][SIDE_X / 2];
  self->key = (png_color_16){0, middle[0], middle[1], middle[2], middle[0]};
}

static void
pack_row(const Stored *self, int y, guint8 *row)
{
  int n = channels_of(self->kind.colour_type);
  int bit = 0;

  memset(row, 0, SIDE_X * 8);
  for (int x = 0; x < SIDE_X; x++)
    for (int k = 0; k < n; k++, bit += self->kind.depth) {
      guint16 value = self->samples[y][x][k];
      if (self->kind.depth == 16) {
        row[bit / 8] = value >> 8;
        row[bit / 8 + 1] = value & 0xff;
      } else {
        row[bit / 8] |= value << (8 - self->kind.depth - bit % 8);
      }
    }
}

static void
configure(png_structp png, png_infop info, gpointer data)
{
  Stored *self = data;
  int colours = MIN(MOST_COLOURS, 1 << self->kind.depth);

  if (self->kind.colour_type == PNG_COLOR_TYPE_PALETTE)
    png_set_PLTE(png, info, self->palette, colours);
  if (self->kind.transparent)
    png_set_tRNS(png, info, self->palette_alpha, colours, &self->key);
  /* The decoder must not apply it. */
  png_set_gAMA(png, info, 1.0);
}

static GBytes *
write_stored(Stored *self)
{
  guint8 rows[SIDE_Y][SIDE_X * 8];
  const MsPngPeer peer = {.rows = rows[0],
                          .stride = sizeof rows[0],
                          .width = SIDE_X,
                          .height = SIDE_Y,
                          .depth = self->kind.depth,
                          .colour_type = self->kind.colour_type,
                          .interlace = self->kind.interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE,
                          .configure = configure,
                          .data = self};

  for (int y = 0; y < SIDE_Y; y++)
    pack_row(self, y, rows[y]);
  return ms_png_peer_encode(&peer);
}

static guint8
to_eight_bits(guint16 value, int depth)
{
  return (guint8)floor(value * 255.0 / ((1 << depth) - 1) + 0.5);
}

static void
expected_pixel(const Stored *self, const guint16 *s, guint8 *rgba)
{
  int type = self->kind.colour_type;
  int depth = self->kind.depth;
  gboolean grey = type == PNG_COLOR_TYPE_GRAY || type == PNG_COLOR_TYPE_GRAY_ALPHA;

  rgba[3] = 255;
  if (type == PNG_COLOR_TYPE_PALETTE) {
    png_color colour = self->palette[s[0]];
    memcpy(rgba, (guint8[]){colour.red, colour.green, colour.blue}, 3);
    rgba[3] = self->kind.transparent ? self->palette_alpha[s[0]] : 255;
    return;
  }
  for (int k = 0; k < 3; k++)
    rgba[k] = to_eight_bits(s[grey ? 0 : k], depth);
  if (type & PNG_COLOR_MASK_ALPHA)
    rgba[3] = to_eight_bits(s[grey ? 1 : 3], depth);
  if (self->kind.transparent && memcmp(s, &self->key.red, grey ? 2 : 6) == 0)
    rgba[3] = 0;
}

/* Nothing of a file is decoded in less time than the whole. */
static void
check_preview(GBytes *file)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(MsImageFile) opened = ms_image_file_open_bytes(file, "x", NULL, NULL, NULL);
  g_autoptr(MsImage) preview = ms_image_file_load_preview(opened, &error);

  g_assert_null(preview);
  g_assert_error(error, MS_ERROR, MS_ERROR_UNSUPPORTED);
  g_autoptr(MsImage) after = ms_image_file_load(opened, NULL);
  g_assert_nonnull(after);
}

static void
check_kind(Kind kind, GRand *random)
{
  g_autofree Stored *stored = g_new0(Stored, 1);

  fill_stored(stored, kind, random);
  g_autoptr(GBytes) file = write_stored(stored);
  g_autoptr(MsImage) image = ms_test_decode(file);
  const guint8 *p = ms_image_get_pixels(image);

  g_test_message("type %d, %d bits, interlaced %d, tRNS %d", kind.colour_type, kind.depth, kind.interlaced,
                 kind.transparent);
  g_assert_cmpint(ms_image_get_width(image), ==, SIDE_X);
  g_assert_cmpint(ms_image_get_height(image), ==, SIDE_Y);
  for (int y = 0; y < SIDE_Y; y++)
    for (int x = 0; x < SIDE_X; x++, p += 4) {
      guint8 expected[4];
      expected_pixel(stored, stored->samples[y][x], expected);
      g_assert_cmpmem(p, 4, expected, 4);
    }
  check_preview(file);
}

static void
test_kinds(void)
{
  static const struct {
    int colour_type;
    int depths[5];
    gboolean may_have_trns;
  } table[] = {
    {PNG_COLOR_TYPE_GRAY, {1, 2, 4, 8, 16}, TRUE}, {PNG_COLOR_TYPE_PALETTE, {1, 2, 4, 8}, TRUE},
    {PNG_COLOR_TYPE_RGB, {8, 16}, TRUE},           {PNG_COLOR_TYPE_GRAY_ALPHA, {8, 16}, FALSE},
    {PNG_COLOR_TYPE_RGB_ALPHA, {8, 16}, FALSE},
  };
  g_autoptr(GRand) random = g_rand_new_with_seed(2011);

  for (gsize i = 0; i < G_N_ELEMENTS(table); i++)
    for (int d = 0; d < 5 && table[i].depths[d] > 0; d++)
      for (int interlaced = 0; interlaced < 2; interlaced++)
        for (int trns = 0; trns <= (table[i].may_have_trns ? 1 : 0); trns++)
          check_kind((Kind){table[i].colour_type, table[i].depths[d], interlaced, trns}, random);
}

/* ---- Our own files. */

static void
test_round_trips(void)
{
  format_assert_round_trips(MS_IMAGE_FORMAT_PNG, 70000, 3);
}

static void
test_levels(void)
{
  g_autoptr(MsImage) image = ms_test_image_smooth(200, 150, NULL);
  gsize previous = G_MAXSIZE;

  for (int level = 0; level <= 9; level += 3) {
    MsSaveOptions options = {MS_IMAGE_FORMAT_PNG, 92, level, FALSE};
    g_autoptr(GError) error = NULL;
    g_autoptr(GBytes) file = ms_image_encode(image, &options, NULL, NULL, &error);
    g_assert_no_error(error);
    g_autoptr(MsImage) again = ms_test_decode(file);
    ms_test_assert_same_image(image, again);
    g_assert_cmpuint(g_bytes_get_size(file), <, previous);
    previous = g_bytes_get_size(file);
  }
}

/* ---- The common pictures. */

static void
test_suite_valid(void)
{
  g_autofree char *folder = ms_test_pictures_folder("pngsuite/valid");

  if (!folder)
    return;
  g_autoptr(GPtrArray) paths = ms_test_list_files(folder, ".png");
  g_assert_cmpuint(paths->len, ==, 161);
  for (guint i = 0; i < paths->len; i++) {
    g_autoptr(MsImage) image = ms_test_load(g_ptr_array_index(paths, i));
    g_autoptr(GBytes) file = ms_test_encode(image, MS_IMAGE_FORMAT_PNG);
    g_autoptr(MsImage) again = ms_test_decode(file);
    ms_test_assert_same_image(image, again);
  }
}

/* In PngSuite some letters of a name only say how the same picture is stored. */
static void
check_same_in_suite(const char *folder, const char *a, const char *b)
{
  g_autofree char *path_a = g_build_filename(folder, a, NULL);
  g_autofree char *path_b = g_build_filename(folder, b, NULL);
  g_autoptr(MsImage) image_a = ms_test_load(path_a);
  g_autoptr(MsImage) image_b = ms_test_load(path_b);

  g_test_message("%s and %s", a, b);
  ms_test_assert_same_image(image_a, image_b);
}

static void
test_suite_twins(void)
{
  static const char *const kinds[] = {"0g01", "0g02", "0g04", "0g08", "0g16", "2c08", "2c16", "3p01",
                                      "3p02", "3p04", "3p08", "4a08", "4a16", "6a08", "6a16"};
  static const char *const twins[][2] = {
    {"oi1n0g16.png", "oi2n0g16.png"}, {"oi1n0g16.png", "oi4n0g16.png"}, {"oi1n0g16.png", "oi9n0g16.png"},
    {"oi1n2c16.png", "oi2n2c16.png"}, {"oi1n2c16.png", "oi4n2c16.png"}, {"oi1n2c16.png", "oi9n2c16.png"},
    {"z00n2c08.png", "z03n2c08.png"}, {"z00n2c08.png", "z06n2c08.png"}, {"z00n2c08.png", "z09n2c08.png"},
  };
  g_autofree char *folder = ms_test_pictures_folder("pngsuite/valid");

  if (!folder)
    return;
  for (gsize i = 0; i < G_N_ELEMENTS(kinds); i++) {
    g_autofree char *plain = g_strdup_printf("basn%s.png", kinds[i]);
    g_autofree char *interlaced = g_strdup_printf("basi%s.png", kinds[i]);
    check_same_in_suite(folder, plain, interlaced);
  }
  for (gsize i = 0; i < G_N_ELEMENTS(twins); i++)
    check_same_in_suite(folder, twins[i][0], twins[i][1]);
}

void
ms_test_png(void)
{
  g_test_add_func("/png/kinds", test_kinds);
  g_test_add_func("/png/round-trips", test_round_trips);
  g_test_add_func("/png/levels", test_levels);
  g_test_add_func("/png/suite-valid", test_suite_valid);
  g_test_add_func("/png/suite-twins", test_suite_twins);
}
