/* SPDX-License-Identifier: MIT */
/* BMP: reading of every header and depth, with palettes, masks and damage, and writing. */
#include "core/error.h"
#include "core/image/image-io.h"
#include "tests/image/format-steps.h"
#include "tests/support/cases.h"
#include "tests/support/image-files.h"

/* The fields of a file with a header of 40 bytes or more; @extra and @pixels in hexadecimal digits. */
typedef struct {
  guint32 header;
  gint32 width;
  gint32 height;
  guint bits;
  guint32 compression;
  guint32 used;
  const char *extra;
  const char *pixels;
} Fields;

static void
put(GByteArray *bytes, guint32 value, guint size)
{
  const guint8 p[] = {(guint8)value, (guint8)(value >> 8), (guint8)(value >> 16), (guint8)(value >> 24)};

  g_byte_array_append(bytes, p, size);
}

static void
put_hex(GByteArray *bytes, const char *text)
{
  for (; *text; text += *text == ' ' ? 1 : 2)
    if (*text != ' ')
      put(bytes, (guint32)(g_ascii_xdigit_value(text[0]) << 4 | g_ascii_xdigit_value(text[1])), 1);
}

static GBytes *
make_file(const Fields *f)
{
  GByteArray *bytes = g_byte_array_new();
  g_autoptr(GByteArray) extra = g_byte_array_new();

  put_hex(extra, f->extra);
  g_byte_array_append(bytes, (const guint8 *)"BM", 2);
  put(bytes, 0, 4);
  put(bytes, 0, 4);
  put(bytes, 14 + f->header + (f->header <= 40 ? extra->len : 0), 4);
  put(bytes, f->header, 4);
  put(bytes, (guint32)f->width, f->header == 12 ? 2 : 4);
  put(bytes, (guint32)f->height, f->header == 12 ? 2 : 4);
  put(bytes, 1, 2);
  put(bytes, f->bits, 2);
  for (guint i = 0; f->header > 12 && i < 6; i++)
    put(bytes, i == 0 ? f->compression : i == 4 ? f->used : 0, 4);
  g_byte_array_append(bytes, extra->data, extra->len);
  while (bytes->len < 14 + f->header)
    put(bytes, 0, 1);
  put_hex(bytes, f->pixels);
  return g_byte_array_free_to_bytes(bytes);
}

static const struct {
  Fields fields;
  int bits;
  const char *pixels;
} samples[] = {
  {{40, 2, 2, 24, 0, 0, "", "010203 040506 0000  0708090a0b0c 0000"}, 8, "090807ff 0c0b0aff 030201ff 060504ff"},
  {{40, 2, -2, 24, 0, 0, "", "010203 040506 0000  0708090a0b0c 0000"}, 8, "030201ff 060504ff 090807ff 0c0b0aff"},
  /* Without the padding of the last row. */
  {{40, 1, 1, 24, 0, 0, "", "010203"}, 8, "030201ff"},
  {{40, 1, 1, 32, 0, 0, "", "01020300"}, 8, "030201ff"},
  {{12, 2, 1, 24, 0, 0, "", "010203 040506 0000"}, 8, "030201ff 060504ff"},
  {{12, 9, 1, 1, 0, 0, "000000 030201", "8080 0000"},
   8,
   "010203ff 000000ff 000000ff 000000ff 000000ff 000000ff 000000ff 000000ff 010203ff"},
  {{40, 3, 1, 4, 0, 3, "00000000 01020300 04050600", "1200 0000"}, 8, "030201ff 060504ff 000000ff"},
  {{40, 5, 1, 2, 0, 3, "00000000 01020300 04050600", "1980 0000"}, 8, "000000ff 030201ff 060504ff 030201ff 060504ff"},
  {{40, 2, 1, 8, 0, 2, "00000000 ff020300", "0100 0000"}, 8, "0302ffff 000000ff"},
  {{40, 4, 2, 8, 1, 3, "00000000 01020300 04050600", "0301 0102 0000 0003 020100 00 0101 0001"},
   8,
   "060504ff 030201ff 000000ff 030201ff 030201ff 030201ff 030201ff 060504ff"},
  {{40, 5, 1, 4, 2, 3, "00000000 01020300 04050600", "0412 0110 0001"},
   8,
   "030201ff 060504ff 030201ff 060504ff 030201ff"},
  {{40, 5, 1, 4, 2, 3, "00000000 01020300 04050600", "0005 1201 2000 0001"},
   8,
   "030201ff 060504ff 000000ff 030201ff 060504ff"},
  {{40, 3, 2, 4, 2, 3, "00000000 01020300 04050600", "0002 0101 0110 0001"},
   8,
   "000000ff 030201ff 000000ff 000000ff 000000ff 000000ff"},
  {{40, 2, 1, 16, 0, 0, "", "007c 1f00"}, 8, "ff0000ff 0000ffff"},
  {{40, 2, 1, 16, 3, 0, "00f80000 e0070000 1f000000", "00f8 e007"}, 8, "ff0000ff 00ff00ff"},
  {{40, 1, 1, 32, 6, 0, "ff000000 00ff0000 0000ff00 000000ff", "01020304"}, 8, "01020304"},
  {{56, 1, 1, 32, 3, 0, "ff000000 00ff0000 0000ff00 000000ff", "01020304"}, 8, "01020304"},
  {{108, 1, 1, 32, 3, 0, "ff000000 00ff0000 0000ff00 00000000", "01020304"}, 8, "010203ff"},
  {{124, 1, 1, 32, 3, 0, "0000f03f 00fc0f00 ff030000 000000c0", "ff030040"}, 10, "0000ff55"},
};

static void
test_kinds(void)
{
  for (gsize i = 0; i < G_N_ELEMENTS(samples); i++) {
    const Fields *fields = &samples[i].fields;
    g_autoptr(GBytes) file = make_file(fields);
    format_assert_pixels(file, fields->width, ABS(fields->height), samples[i].bits, samples[i].pixels);
  }
}

static void
test_hostile(void)
{
  static const Fields table[] = {
    {40, 0, 1, 24, 0, 0, "", "01020300"},
    {40, 1, 0, 24, 0, 0, "", "01020300"},
    {40, -1, 1, 24, 0, 0, "", "01020300"},
    {40, G_MININT32, 1, 24, 0, 0, "", "01020300"},
    {40, 1, G_MININT32, 24, 0, 0, "", "01020300"},
    {40, 1, 2, 24, 0, 0, "", "01020300 0102"},
    {40, 1, 1, 24, 0, 0, "", ""},
    {40, 1, 1, 0, 0, 0, "", "01020300"},
    {40, 1, 1, 3, 0, 0, "", "01020300"},
    {40, 1, 1, 48, 0, 0, "", "010203000000"},
    {40, 1, 1, 65535, 0, 0, "", "010203000000"},
    {40, 1, 1, 24, 3, 0, "", "01020300"},
    {40, 1, 1, 8, 1, 1, "00000000", "01000000"},
    {40, 1, 1, 8, 1, 1, "00000000", "0900 0001"},
    {40, 1, 1, 8, 1, 1, "00000000", "0000 0100 0001"},
    {40, 1, 1, 8, 1, 1, "00000000", "0000 0000 0001"},
    {40, 1, 1, 8, 1, 1, "00000000", "0002 ffff 0001"},
    {40, 9, 1, 8, 1, 1, "00000000", "0009 0000"},
    {40, 1, 1, 8, 1, 1, "00000000", "0101 0001"},
    {40, 1, -1, 8, 1, 1, "00000000", "0100 0001"},
    {40, 1, 1, 4, 2, 1, "00000000", "0900 0001"},
    {40, 1, 1, 4, 1, 1, "00000000", "0100 0001"},
    {40, 1, 1, 8, 2, 1, "00000000", "0100 0001"},
    {40, 1, 1, 24, 4, 0, "", "ffd8ff00"},
    {40, 1, 1, 32, 0xffffffff, 0, "", "01020300"},
    {40, 1, 1, 8, 0, 1, "00000000", "01000000"},
    {40, 1, 1, 8, 0, 0xffffffff, "00000000", "01000000"},
    {40, 1, 1, 8, 0, 0, "", "00000000"},
    {40, 1, 1, 16, 3, 0, "05000000 00000000 00000000", "01000000"},
    {40, 1, 1, 32, 3, 0, "ff000000 00ff0000", ""},
    {12, 0, 1, 24, 0, 0, "", "01020300"},
    {12, 1, 1, 32, 0, 0, "", ""},
  };

  for (gsize i = 0; i < G_N_ELEMENTS(table); i++) {
    g_autoptr(GBytes) file = make_file(&table[i]);
    ms_test_assert_refused(file, MS_ERROR_FORMAT);
  }
}

/* Offsets and sizes of a sound file are replaced one by one. */
static void
test_wrong_offsets(void)
{
  static const struct {
    guint at;
    guint32 value;
  } table[] = {{10, 0}, {10, 14}, {10, 53}, {10, 58},  {10, 0xffffffff},
               {14, 0}, {14, 13}, {14, 39}, {14, 125}, {14, 0xffffffff}};

  for (gsize i = 0; i < G_N_ELEMENTS(table); i++) {
    g_autoptr(GBytes) file = make_file(&samples[2].fields);
    gsize size;
    const guint8 *data = g_bytes_get_data(file, &size);
    g_autofree guint8 *copy = g_memdup2(data, size);
    for (guint k = 0; k < 4; k++)
      copy[table[i].at + k] = (guint8)(table[i].value >> 8 * k);
    g_autoptr(GBytes) wrong = g_bytes_new(copy, size);
    ms_test_assert_refused(wrong, MS_ERROR_FORMAT);
  }
}

static void
test_absurd_sizes(void)
{
  const Fields promised = {40, 30000, 30000, 24, 0, 0, "", "01020300"};
  const Fields upwards = {40, 30000, -30000, 24, 0, 0, "", "01020300"};
  const Fields runs = {40, 30000, 30000, 8, 1, 1, "00000000", "0100 0001"};
  const Fields large = {40, G_MAXINT32, -G_MAXINT32, 1, 0, 0, "", "01020300"};
  g_autoptr(GBytes) a = make_file(&promised), b = make_file(&upwards), c = make_file(&large), d = make_file(&runs);

  ms_test_assert_refused(a, MS_ERROR_FORMAT);
  ms_test_assert_refused(b, MS_ERROR_FORMAT);
  ms_test_assert_refused(c, MS_ERROR_TOO_LARGE);
  ms_test_assert_refused(d, MS_ERROR_FORMAT);
}

/* The format has no checksums: a damaged file loads as some image or is refused with a sentence. */
static void
test_every_bit(void)
{
  for (gsize i = 0; i < G_N_ELEMENTS(samples); i++) {
    g_autoptr(GBytes) file = make_file(&samples[i].fields);
    format_flip_every_bit(file, NULL);
  }
}

/* The row that is stored last is the first of the picture; where it is missing, the others are kept. */
static void
test_accepts_cut(void)
{
  g_autoptr(MsImage) image = ms_test_image_random(16, 8, 3, TRUE, NULL);
  g_autoptr(GBytes) file = ms_test_encode(image, MS_IMAGE_FORMAT_BMP);
  g_autoptr(GBytes) cut = g_bytes_new_from_bytes(file, 0, g_bytes_get_size(file) - 1);
  MsImageLimits limits = ms_image_limits_default();
  g_autoptr(GError) error = NULL;

  ms_test_assert_refused(cut, MS_ERROR_FORMAT);
  limits.accept_damaged = TRUE;
  g_autoptr(MsImage) found = ms_image_load_bytes(cut, "x", &limits, NULL, &error);
  g_assert_no_error(error);
  g_assert_nonnull(ms_image_get_damage(found));
  g_assert_cmpmem(ms_image_get_pixels(found) + 64, 64 * 7, ms_image_get_pixels(image) + 64, 64 * 7);
  for (int x = 0; x < 16; x++)
    g_assert_cmpmem(ms_image_get_pixels(found) + 4 * x, 4, "\0\0\0\xff", 4);
  ms_test_assert_cut_refused(file, 0, 7);
}

/* ---- Writing. */

static void
test_round_trips(void)
{
  format_assert_round_trips(MS_IMAGE_FORMAT_BMP, 70000, 0);
}

static void
test_metadata(void)
{
  format_assert_metadata(MS_IMAGE_FORMAT_BMP, TRUE);
}

/* A picture without alpha and profile is written with BITMAPINFOHEADER, which every program reads. */
static void
test_plain_file(void)
{
  static const guint8 pixels[] = {1, 2, 3, 255, 4, 5, 6, 255};
  g_autoptr(GBytes) bytes = g_bytes_new_static(pixels, sizeof pixels);
  g_autoptr(MsImage) image = ms_image_new(1, 2, bytes, NULL);
  g_autoptr(GBytes) file = ms_test_encode(image, MS_IMAGE_FORMAT_BMP);
  g_autoptr(GByteArray) wanted = g_byte_array_new();

  put_hex(wanted, "424d 3e000000 00000000 36000000 28000000 01000000 02000000 0100 1800 00000000 08000000");
  put_hex(wanted, "00000000 00000000 00000000 00000000 06050400 03020100");
  g_assert_cmpmem(g_bytes_get_data(file, NULL), g_bytes_get_size(file), wanted->data, wanted->len);
}

void
ms_test_bmp(void)
{
  g_test_add_func("/bmp/kinds", test_kinds);
  g_test_add_func("/bmp/hostile", test_hostile);
  g_test_add_func("/bmp/wrong-offsets", test_wrong_offsets);
  g_test_add_func("/bmp/absurd-sizes", test_absurd_sizes);
  g_test_add_func("/bmp/every-bit", test_every_bit);
  g_test_add_func("/bmp/accepts-cut", test_accepts_cut);
  g_test_add_func("/bmp/round-trips", test_round_trips);
  g_test_add_func("/bmp/metadata", test_metadata);
  g_test_add_func("/bmp/plain-file", test_plain_file);
}
