/* SPDX-License-Identifier: MIT */
#include <string.h>

#include <libexif/exif-data.h>
#include <libexif/exif-utils.h>

#include "core/image/codec.h"
#include "core/image/metadata/metadata.h"
#include "core/image/image-save.h"
#include "tests/support/cases.h"
#include "tests/support/image-files.h"

/* ---- An EXIF block, written number by number; libexif, which core does not use, reads it back. */

typedef struct {
  GByteArray *bytes;
  gboolean big_endian;
} Block;

static void
put_u16(Block *self, guint16 value)
{
  guint16 stored = self->big_endian ? GUINT16_TO_BE(value) : GUINT16_TO_LE(value);

  g_byte_array_append(self->bytes, (const guint8 *)&stored, 2);
}

static void
put_u32(Block *self, guint32 value)
{
  guint32 stored = self->big_endian ? GUINT32_TO_BE(value) : GUINT32_TO_LE(value);

  g_byte_array_append(self->bytes, (const guint8 *)&stored, 4);
}

static void
put_entry(Block *self, guint tag, guint type, guint32 value)
{
  put_u16(self, tag);
  put_u16(self, type);
  put_u32(self, 1);
  if (type == 3) {
    put_u16(self, value);
    put_u16(self, 0);
  } else {
    put_u32(self, value);
  }
}

#define IFD0 8
#define IFD0_ENTRIES 5
#define EXIF_IFD (IFD0 + 2 + IFD0_ENTRIES * 12 + 4)
#define EXIF_IFD_ENTRIES 2
#define IFD1 (EXIF_IFD + 2 + EXIF_IFD_ENTRIES * 12 + 4)
#define RATIONALS (IFD1 + 2 + 12 + 4)

/* 40 x 20 pixels at 300 by 150 dots an inch, and a second directory as for a thumbnail. */
static GBytes *
make_exif(gboolean big_endian, int orientation)
{
  Block block = {g_byte_array_new(), big_endian};

  g_byte_array_append(block.bytes, (const guint8 *)(big_endian ? "MM" : "II"), 2);
  put_u16(&block, 42);
  put_u32(&block, IFD0);
  put_u16(&block, IFD0_ENTRIES);
  put_entry(&block, 0x0112, 3, orientation);
  put_entry(&block, 0x011a, 5, RATIONALS);
  put_entry(&block, 0x011b, 5, RATIONALS + 8);
  put_entry(&block, 0x0128, 3, 2);
  put_entry(&block, 0x8769, 4, EXIF_IFD);
  put_u32(&block, IFD1);
  put_u16(&block, EXIF_IFD_ENTRIES);
  put_entry(&block, 0xa002, 4, 40);
  put_entry(&block, 0xa003, 3, 20);
  put_u32(&block, 0);
  put_u16(&block, 1);
  put_entry(&block, 0x0112, 3, orientation);
  put_u32(&block, 0);
  put_u32(&block, 300);
  put_u32(&block, 1);
  put_u32(&block, 1500);
  put_u32(&block, 10);
  return g_byte_array_free_to_bytes(block.bytes);
}

static ExifData *
read_by_peer(GBytes *exif)
{
  GByteArray *marked = g_byte_array_new();

  g_byte_array_append(marked, (const guint8 *)"Exif\0\0", 6);
  g_byte_array_append(marked, g_bytes_get_data(exif, NULL), g_bytes_get_size(exif));
  ExifData *data = exif_data_new();
  exif_data_unset_option(data, EXIF_DATA_OPTION_FOLLOW_SPECIFICATION);
  exif_data_load_data(data, marked->data, marked->len);
  g_byte_array_unref(marked);
  return data;
}

/* The first number of an entry, -1 when the block has no such entry. */
static double
peer_number(ExifData *data, ExifIfd directory, ExifTag tag)
{
  ExifEntry *entry = exif_content_get_entry(data->ifd[directory], tag);
  ExifByteOrder order = exif_data_get_byte_order(data);

  if (!entry)
    return -1;
  if (entry->format == EXIF_FORMAT_SHORT)
    return exif_get_short(entry->data, order);
  if (entry->format == EXIF_FORMAT_LONG)
    return exif_get_long(entry->data, order);
  g_assert_cmpint(entry->format, ==, EXIF_FORMAT_RATIONAL);
  ExifRational r = exif_get_rational(entry->data, order);
  return (double)r.numerator / r.denominator;
}

/* What a block for the upright picture must say. */
static void
check_upright_exif(GBytes *exif, gboolean turned)
{
  ExifData *data = read_by_peer(exif);

  g_assert_cmpfloat(peer_number(data, EXIF_IFD_0, EXIF_TAG_ORIENTATION), ==, 1);
  g_assert_cmpfloat(peer_number(data, EXIF_IFD_0, EXIF_TAG_X_RESOLUTION), ==, turned ? 150 : 300);
  g_assert_cmpfloat(peer_number(data, EXIF_IFD_0, EXIF_TAG_Y_RESOLUTION), ==, turned ? 300 : 150);
  g_assert_cmpfloat(peer_number(data, EXIF_IFD_EXIF, EXIF_TAG_PIXEL_X_DIMENSION), ==, turned ? 20 : 40);
  g_assert_cmpfloat(peer_number(data, EXIF_IFD_EXIF, EXIF_TAG_PIXEL_Y_DIMENSION), ==, turned ? 40 : 20);
  g_assert_cmpfloat(peer_number(data, EXIF_IFD_1, EXIF_TAG_ORIENTATION), ==, -1);
  exif_data_unref(data);
}

static void
test_make_upright(void)
{
  for (int big_endian = 0; big_endian < 2; big_endian++)
    for (int orientation = 0; orientation <= 9; orientation++) {
      g_autoptr(GBytes) exif = make_exif(big_endian, orientation);
      int expected = orientation >= 1 && orientation <= 8 ? orientation : 1;
      int told = 0;
      g_assert_cmpint(MAX(1, ms_exif_get_orientation(exif)), ==, expected);
      g_autoptr(GBytes) upright = ms_exif_make_upright(exif, &told);
      g_assert_cmpint(told, ==, expected);
      check_upright_exif(upright, expected >= 5);
      g_assert_cmpuint(g_bytes_get_size(upright), ==, g_bytes_get_size(exif));
    }
}

static void
test_resolution_in_exif(void)
{
  g_autoptr(GBytes) exif = make_exif(TRUE, 1);
  guint32 x = 0;
  guint32 y = 0;

  g_assert_true(ms_exif_get_resolution(exif, &x, &y));
  g_assert_cmpuint(x, ==, 11811);
  g_assert_cmpuint(y, ==, 5906);
}

/* The same block with its fourth entry, the unit, changed to centimetres, and to none. */
static void
test_resolution_units(void)
{
  g_autoptr(GBytes) inches = make_exif(FALSE, 1);
  gsize size;
  g_autofree guint8 *block = g_memdup2(g_bytes_get_data(inches, &size), g_bytes_get_size(inches));
  guint8 *unit = block + IFD0 + 2 + 3 * 12 + 8;
  guint32 x = 0, y = 0;

  g_assert_cmpuint(*unit, ==, 2);
  *unit = 3;
  g_autoptr(GBytes) centimetres = g_bytes_new(block, size);
  g_assert_true(ms_exif_get_resolution(centimetres, &x, &y));
  g_assert_cmpuint(x, ==, 30000);
  g_assert_cmpuint(y, ==, 15000);
  *unit = 1;
  g_autoptr(GBytes) without = g_bytes_new(block, size);
  g_assert_false(ms_exif_get_resolution(without, &x, &y));
}

/*
 * Any block, cut anywhere or with any byte changed to the extremes, is read and patched within its bounds (which the
 * sanitizers check), and orientations stay in range.
 */
static void
test_broken_exif(void)
{
  static const guint8 extremes[] = {0x00, 0x01, 0x7f, 0x80, 0xff};
  g_autoptr(GBytes) exif = make_exif(FALSE, 6);
  gsize size = g_bytes_get_size(exif);

  for (gsize i = 0; i < size; i++) {
    g_autoptr(GBytes) cut = g_bytes_new(g_bytes_get_data(exif, NULL), i);
    int orientation = 0;
    guint32 x, y;
    g_autoptr(GBytes) upright = ms_exif_make_upright(cut, &orientation);
    g_assert_true((upright != NULL) == (i >= 8));
    ms_exif_get_resolution(cut, &x, &y);
    for (gsize k = 0; k < sizeof extremes; k++) {
      guint8 *copy = g_memdup2(g_bytes_get_data(exif, NULL), size);
      copy[i] = extremes[k];
      g_autoptr(GBytes) odd = g_bytes_new_take(copy, size);
      g_autoptr(GBytes) patched = ms_exif_make_upright(odd, &orientation);
      gboolean same_mark = memcmp(g_bytes_get_data(odd, NULL), g_bytes_get_data(exif, NULL), 4) == 0;
      g_assert_true((patched != NULL) == same_mark);
      g_assert_cmpint(orientation, >=, 1);
      g_assert_cmpint(orientation, <=, 8);
      ms_exif_get_resolution(odd, &x, &y);
    }
  }
}

/*
 * ---- ICC. A header, a list of one tag, and noise for it (libpng takes no profile that compresses to next to nothing).
 */

#define ICC_SIZE 400
#define ICC_TAG 144

static GBytes *
make_icc(const char *colour_space)
{
  static const guint8 d50[12] = {0, 0, 0xf6, 0xd6, 0, 1, 0, 0, 0, 0, 0xd3, 0x2d};
  guint8 profile[ICC_SIZE] = {0, 0, ICC_SIZE >> 8, ICC_SIZE & 0xff};

  profile[8] = 2;
  memcpy(profile + 12, "mntr", 4);
  memcpy(profile + 16, colour_space, 4);
  memcpy(profile + 20, "XYZ ", 4);
  memcpy(profile + 36, "acsp", 4);
  memcpy(profile + 68, d50, sizeof d50);
  memcpy(profile + 128, "\0\0\0\1desc\0\0\0\220\0\0\1\0", 16);
  for (int i = ICC_TAG; i < ICC_SIZE; i++)
    profile[i] = i * i * 31 >> 3;
  return g_bytes_new(profile, sizeof profile);
}

static void
test_icc_kinds(void)
{
  g_autoptr(GBytes) rgb = make_icc("RGB ");
  g_autoptr(GBytes) grey = make_icc("GRAY");
  g_autoptr(GBytes) cmyk = make_icc("CMYK");
  g_autoptr(GBytes) cut = g_bytes_new_from_bytes(rgb, 0, 128);

  g_assert_true(ms_icc_is_rgb(rgb));
  g_assert_false(ms_icc_is_rgb(grey));
  g_assert_false(ms_icc_is_rgb(cmyk));
  g_assert_false(ms_icc_is_rgb(cut));
}

/* ---- Through files of both formats and back. */

static void
assert_metadata(MsImage *image, GBytes *icc, guint32 x, guint32 y)
{
  MsMetadata *metadata = ms_image_get_metadata(image);

  g_assert_nonnull(metadata);
  g_assert_true((metadata->icc != NULL) == (icc != NULL));
  g_assert_true(!icc || g_bytes_equal(metadata->icc, icc));
  g_assert_cmpuint(metadata->x_pixels_per_metre, ==, x);
  g_assert_cmpuint(metadata->y_pixels_per_metre, ==, y);
}

static void
test_travels(void)
{
  static const MsImageFormat formats[] = {MS_IMAGE_FORMAT_PNG, MS_IMAGE_FORMAT_JPEG, MS_IMAGE_FORMAT_WEBP};
  g_autoptr(GBytes) icc = make_icc("RGB ");
  g_autoptr(GBytes) exif = make_exif(TRUE, 1);
  g_autoptr(MsMetadata) metadata = ms_metadata_new(icc, exif, 11811, 5906);
  g_autoptr(MsImage) image = ms_test_image_smooth(40, 20, metadata);

  for (int a = 0; a < (int)G_N_ELEMENTS(formats); a++)
    for (int b = 0; b < (int)G_N_ELEMENTS(formats); b++) {
      g_autoptr(GBytes) first = ms_test_encode(image, formats[a]);
      g_autoptr(MsImage) between = ms_test_decode(first);
      g_autoptr(GBytes) second = ms_test_encode(between, formats[b]);
      g_autoptr(MsImage) last = ms_test_decode(second);
      assert_metadata(last, icc, 11811, 5906);
      check_upright_exif(ms_image_get_metadata(last)->exif, FALSE);
    }
}

static void
test_turned_on_load(void)
{
  static const MsImageFormat formats[] = {MS_IMAGE_FORMAT_PNG, MS_IMAGE_FORMAT_JPEG, MS_IMAGE_FORMAT_WEBP};

  for (int f = 0; f < (int)G_N_ELEMENTS(formats); f++)
    for (int orientation = 1; orientation <= 8; orientation++) {
      gboolean turned = orientation >= 5;
      g_autoptr(GBytes) exif = make_exif(orientation % 2, orientation);
      g_autoptr(MsMetadata) metadata = ms_metadata_new(NULL, exif, 11811, 5906);
      g_autoptr(MsImage) stored = ms_test_image_smooth(40, 20, metadata);
      g_autoptr(GBytes) file = ms_test_encode(stored, formats[f]);
      g_autoptr(MsImage) image = ms_test_decode(file);
      g_assert_cmpint(ms_image_get_width(image), ==, turned ? 20 : 40);
      assert_metadata(image, NULL, turned ? 5906 : 11811, turned ? 11811 : 5906);
      check_upright_exif(ms_image_get_metadata(image)->exif, turned);
      /* Saved and loaded again, it is not turned a second time. */
      g_autoptr(GBytes) saved = ms_test_encode(image, MS_IMAGE_FORMAT_PNG);
      g_autoptr(MsImage) again = ms_test_decode(saved);
      ms_test_assert_same_image(image, again);
    }
}

/* PNG allows the EXIF block behind the pixels. */
static void
test_exif_behind_pixels(void)
{
  g_autoptr(GBytes) exif = make_exif(FALSE, 6);
  g_autoptr(MsMetadata) metadata = ms_metadata_new(NULL, exif, 0, 0);
  g_autoptr(MsImage) stored = ms_test_image_smooth(40, 20, metadata);
  g_autoptr(GBytes) file = ms_test_encode(stored, MS_IMAGE_FORMAT_PNG);
  const guint8 *data = g_bytes_get_data(file, NULL);
  gsize at = ms_test_png_find(file, "eXIf");
  gsize end = ms_test_png_find(file, "IEND");
  gsize length = 12 + g_bytes_get_size(exif);
  GByteArray *moved = g_byte_array_new();

  g_assert_cmpuint(at, >, 0);
  g_assert_cmpuint(at, <, ms_test_png_find(file, "IDAT"));
  g_autoptr(GBytes) rest = g_bytes_new_from_bytes(file, at + length - 8, g_bytes_get_size(file) - at - length + 8);
  g_assert_cmpuint(ms_test_png_find(rest, "eXIf"), ==, 0);
  g_byte_array_append(moved, data, at);
  g_byte_array_append(moved, data + at + length, end - at - length);
  g_byte_array_append(moved, data + at, length);
  g_byte_array_append(moved, data + end, 12);
  g_autoptr(GBytes) bytes = g_byte_array_free_to_bytes(moved);
  g_autoptr(MsImage) image = ms_test_decode(bytes);
  g_autoptr(MsImage) usual = ms_test_decode(file);
  g_assert_cmpint(ms_image_get_width(image), ==, 20);
  ms_test_assert_same_image(image, usual);
}

static void
test_other_profiles_stay_behind(void)
{
  static const char *const kinds[] = {"GRAY", "CMYK"};

  for (int i = 0; i < 2; i++) {
    g_autoptr(GBytes) icc = make_icc(kinds[i]);
    g_autoptr(MsMetadata) metadata = ms_metadata_new(icc, NULL, 0, 0);
    g_autoptr(MsImage) image = ms_test_image_smooth(8, 8, metadata);
    g_autoptr(GBytes) file = ms_test_encode(image, MS_IMAGE_FORMAT_JPEG);
    g_autoptr(MsImage) again = ms_test_decode(file);
    assert_metadata(again, NULL, 0, 0);
  }
}

static MsSaveNotes
notes_for(MsMetadata *metadata, MsImageFormat format, MsImage **again)
{
  g_autoptr(MsImage) image = ms_test_image_smooth(8, 8, metadata);
  MsSaveOptions options = ms_save_options_default();
  MsSaveNotes notes;
  g_autoptr(GError) error = NULL;

  options.format = format;
  g_autoptr(GBytes) file = ms_image_encode(image, &options, &notes, NULL, &error);
  g_assert_no_error(error);
  *again = ms_test_decode(file);
  return notes;
}

static GBytes *
padded(GBytes *bytes, gsize size)
{
  guint8 *copy = g_malloc0(size);

  memcpy(copy, g_bytes_get_data(bytes, NULL), g_bytes_get_size(bytes));
  return g_bytes_new_take(copy, size);
}

/* One JPEG segment holds 65527 bytes of EXIF; PNG has no such bound. */
static void
test_large_exif(void)
{
  g_autoptr(GBytes) small = make_exif(FALSE, 1);

  for (gsize size = 65527; size <= 65528; size++) {
    g_autoptr(GBytes) exif = padded(small, size);
    g_autoptr(MsMetadata) metadata = ms_metadata_new(NULL, exif, 0, 0);
    g_autoptr(MsImage) jpeg = NULL;
    g_autoptr(MsImage) png = NULL;
    g_assert_cmpint(notes_for(metadata, MS_IMAGE_FORMAT_JPEG, &jpeg).exif_dropped, ==, size > 65527);
    g_assert_true((ms_image_get_metadata(jpeg)->exif == NULL) == (size > 65527));
    g_assert_false(notes_for(metadata, MS_IMAGE_FORMAT_PNG, &png).exif_dropped);
    g_assert_cmpuint(g_bytes_get_size(ms_image_get_metadata(png)->exif), ==, size);
  }
}

/* Profiles longer than a segment are spread over several. */
static void
test_large_icc(void)
{
  g_autoptr(GBytes) small = make_icc("RGB ");
  g_autoptr(GBytes) longer = padded(small, 200000);
  g_autoptr(GBytes) too_long = padded(small, 255 * 65519 + 1);
  g_autoptr(MsMetadata) several = ms_metadata_new(longer, NULL, 0, 0);
  g_autoptr(MsMetadata) most = ms_metadata_new(too_long, NULL, 0, 0);
  g_autoptr(MsImage) a = NULL;
  g_autoptr(MsImage) b = NULL;

  g_assert_false(notes_for(several, MS_IMAGE_FORMAT_JPEG, &a).icc_dropped);
  g_assert_true(g_bytes_equal(ms_image_get_metadata(a)->icc, longer));
  g_assert_true(notes_for(most, MS_IMAGE_FORMAT_JPEG, &b).icc_dropped);
  g_assert_null(ms_image_get_metadata(b)->icc);
}

/* A profile of another length than it says, or than its version may have, stays out of a PNG file, and is reported. */
static void
check_broken_icc(gsize size, gsize stated, guint8 version)
{
  g_autoptr(GBytes) icc = make_icc("RGB ");
  guint8 *copy = g_memdup2(g_bytes_get_data(icc, NULL), size);

  copy[2] = (guint8)(stated >> 8);
  copy[3] = (guint8)stated;
  copy[8] = version;
  g_autoptr(GBytes) broken = g_bytes_new_take(copy, size);
  g_autoptr(MsMetadata) metadata = ms_metadata_new(broken, NULL, 0, 0);
  g_autoptr(MsImage) again = NULL;
  g_assert_true(ms_icc_is_sound(icc));
  g_assert_false(ms_icc_is_sound(broken));
  g_assert_true(notes_for(metadata, MS_IMAGE_FORMAT_PNG, &again).icc_dropped);
  g_assert_null(ms_image_get_metadata(again)->icc);
}

static void
test_broken_icc(void)
{
  check_broken_icc(ICC_SIZE, 99, 2);
  check_broken_icc(ICC_SIZE - 1, ICC_SIZE - 1, 4);
  check_broken_icc(130, 130, 2);
}

static void
test_densities(void)
{
  static const struct {
    guint32 given, jpeg;
  } table[] = {
    {2835, 2835},   {11811, 11811}, {3780, 3780}, {10000, 10000},  {40000, 40000},
    {12345, 12362}, {1, 0},         {0, 0},       {2000000000, 0},
  };

  for (gsize i = 0; i < G_N_ELEMENTS(table); i++) {
    g_autoptr(MsMetadata) metadata = ms_metadata_new(NULL, NULL, table[i].given, table[i].given);
    g_autoptr(MsImage) jpeg = NULL;
    g_autoptr(MsImage) png = NULL;
    notes_for(metadata, MS_IMAGE_FORMAT_JPEG, &jpeg);
    notes_for(metadata, MS_IMAGE_FORMAT_PNG, &png);
    assert_metadata(jpeg, NULL, table[i].jpeg, table[i].jpeg);
    assert_metadata(png, NULL, table[i].given, table[i].given);
  }
}

void
ms_test_metadata(void)
{
  g_test_add_func("/metadata/make-upright", test_make_upright);
  g_test_add_func("/metadata/resolution-in-exif", test_resolution_in_exif);
  g_test_add_func("/metadata/resolution-units", test_resolution_units);
  g_test_add_func("/metadata/broken-exif", test_broken_exif);
  g_test_add_func("/metadata/icc-kinds", test_icc_kinds);
  g_test_add_func("/metadata/travels", test_travels);
  g_test_add_func("/metadata/turned-on-load", test_turned_on_load);
  g_test_add_func("/metadata/exif-behind-pixels", test_exif_behind_pixels);
  g_test_add_func("/metadata/other-profiles-stay-behind", test_other_profiles_stay_behind);
  g_test_add_func("/metadata/large-exif", test_large_exif);
  g_test_add_func("/metadata/large-icc", test_large_icc);
  g_test_add_func("/metadata/broken-icc", test_broken_icc);
  g_test_add_func("/metadata/densities", test_densities);
}
