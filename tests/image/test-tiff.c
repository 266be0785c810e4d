/* SPDX-License-Identifier: MIT */
/*
 * TIFF of every layout: pixels, as a whole and by rows, orientation and losses by the specification, round trips, and
 * damaged files.
 */
#include <string.h>

#include "core/error.h"
#include "core/image/codec.h"
#include "core/image/common/losses.h"
#include "core/image/image-io.h"
#include "core/image/tiff.h"
#include "core/image/image-save.h"
#include "tests/image/format-steps.h"
#include "tests/image/tiff-peer.h"
#include "tests/support/cases.h"
#include "tests/support/image-files.h"

/* Where a file does not store its rows one after another, reading them so is refused. */
static void
check_rows(GBytes *file, MsImage *image, gboolean refused)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(MsImageFile) rows = ms_image_file_open_bytes(file, "test", NULL, NULL, NULL);

  g_assert_true(ms_image_file_start_rows(rows, &error) == !refused);
  if (refused) {
    g_assert_error(error, MS_ERROR, MS_ERROR_UNSUPPORTED);
    return;
  }
  g_assert_cmpuint(rows->row_memory, >, 0);
  format_assert_rows(file, image);
}

static void
check_layout(const TiffLayout *layout)
{
  g_autoptr(GBytes) file = tiff_layout_write(layout);
  g_autoptr(MsImage) image = ms_test_decode(file);
  const guint8 *p = ms_image_get_pixels(image);

  g_test_message("mode %s, photometric %d, %d bits, extra %d, compression %d, tiled %d, separate %d", layout->mode,
                 layout->photometric, layout->bits, layout->extra, layout->compression, layout->tiled,
                 layout->separate);
  g_assert_cmpint(ms_image_get_width(image), ==, SIDE_X);
  g_assert_cmpint(ms_image_get_height(image), ==, SIDE_Y);
  for (int y = 0; y < SIDE_Y; y++)
    for (int x = 0; x < SIDE_X; x++, p += 4) {
      guint8 expected[4];
      tiff_layout_expect(layout, x, y, expected);
      g_assert_cmpmem(p, 4, expected, 4);
    }
  check_rows(file, image, layout->separate && (layout->photometric == PHOTOMETRIC_RGB || layout->extra >= 0));
}

/* Both byte orders, BigTIFF, every size of sample that is read, alpha of each kind, strips and tiles, planes. */
static void
test_layouts(void)
{
  static const struct {
    int photometric;
    int bits[8];
    gboolean may_have_alpha;
  } kinds[] = {
    {PHOTOMETRIC_MINISBLACK, {1, 2, 4, 8, 16}, FALSE},
    {PHOTOMETRIC_MINISBLACK, {8, 16}, TRUE},
    {PHOTOMETRIC_MINISWHITE, {1, 4, 8, 16}, FALSE},
    {PHOTOMETRIC_PALETTE, {1, 2, 4, 8}, FALSE},
    {PHOTOMETRIC_RGB, {8, 16}, FALSE},
    {PHOTOMETRIC_RGB, {8, 16}, TRUE},
  };
  static const char *const modes[] = {"wl", "wb", "w8"};

  for (gsize i = 0; i < G_N_ELEMENTS(kinds); i++)
    for (int b = 0; b < 8 && kinds[i].bits[b] != 0; b++)
      for (int form = 0; form < 4; form++) {
        gboolean separate = form / 2 == 1 && kinds[i].photometric != PHOTOMETRIC_PALETTE;
        for (int extra = kinds[i].may_have_alpha ? 0 : -1; extra <= (kinds[i].may_have_alpha ? 2 : -1); extra++)
          check_layout(&(TiffLayout){modes[(b + form) % 3], kinds[i].photometric, kinds[i].bits[b], extra,
                                     COMPRESSION_NONE, form % 2, separate});
      }
}

static void
test_compressions(void)
{
  static const int compressions[] = {COMPRESSION_LZW, COMPRESSION_ADOBE_DEFLATE, COMPRESSION_PACKBITS};

  for (gsize i = 0; i < G_N_ELEMENTS(compressions); i++)
    for (int form = 0; form < 4; form++)
      check_layout(
        &(TiffLayout){"wl", PHOTOMETRIC_RGB, 8, EXTRASAMPLE_UNASSALPHA, compressions[i], form % 2, form / 2});
}

/* Colour spaces that libtiff converts, in more strips than one. */
static void
test_converted(void)
{
  TiffMemory memory;
  TIFF *tiff = tiff_memory_open(&memory, "wl");
  guint8 row[4 * 4];

  TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, 4);
  TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, 5);
  TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, 8);
  TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, 4);
  TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_SEPARATED);
  TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, 2);
  TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
  for (int y = 0; y < 5; y++) {
    for (int x = 0; x < 4; x++)
      memcpy(row + x * 4, ((guint8[]){x * 60, y * 50, 0, 0}), 4);
    TIFFWriteScanline(tiff, row, y, 0);
  }
  TIFFClose(tiff);
  g_autoptr(GBytes) file = g_byte_array_free_to_bytes(memory.bytes);
  g_autoptr(MsImage) image = ms_test_decode(file);
  const guint8 *p = ms_image_get_pixels(image);
  for (int y = 0; y < 5; y++)
    for (int x = 0; x < 4; x++, p += 4)
      g_assert_cmpmem(p, 4, ((guint8[]){255 - x * 60, 255 - y * 50, 255, 255}), 4);
  check_rows(file, image, TRUE);
}

static const TiffLayout plain = {"wl", PHOTOMETRIC_RGB, 8, -1, COMPRESSION_NONE, FALSE, FALSE};

typedef void (*SetTags)(TIFF *tiff, int value);

static GBytes *
write_with(SetTags set, int value)
{
  TiffMemory memory;
  TIFF *tiff = tiff_memory_open(&memory, "wl");

  tiff_layout_set(tiff, &plain);
  set(tiff, value);
  tiff_layout_write_pixels(tiff, &plain);
  TIFFClose(tiff);
  return g_byte_array_free_to_bytes(memory.bytes);
}

static void
set_orientation(TIFF *tiff, int value)
{
  TIFFSetField(tiff, TIFFTAG_ORIENTATION, value);
  TIFFSetField(tiff, TIFFTAG_RESOLUTIONUNIT, RESUNIT_CENTIMETER);
  TIFFSetField(tiff, TIFFTAG_XRESOLUTION, 118.11);
  TIFFSetField(tiff, TIFFTAG_YRESOLUTION, 59.06);
}

/* Where the pixel stored at (@x, @y) is seen, by the words of the specification. */
static int
seen_at(int orientation, int x, int y)
{
  int right = SIDE_X - 1 - x;
  int bottom = SIDE_Y - 1 - y;
  const int places[8][2] = {{x, y}, {right, y},  {right, bottom}, {x, bottom},
                            {y, x}, {bottom, x}, {bottom, right}, {y, right}};

  return places[orientation - 1][1] * (orientation > 4 ? SIDE_Y : SIDE_X) + places[orientation - 1][0];
}

static void
test_orientations(void)
{
  for (int orientation = 1; orientation <= 8; orientation++) {
    g_autoptr(GBytes) file = write_with(set_orientation, orientation);
    g_autoptr(MsImage) image = ms_test_decode(file);
    MsMetadata *metadata = ms_image_get_metadata(image);
    g_autoptr(MsImageFile) opened = ms_image_file_open_bytes(file, "test", NULL, NULL, NULL);
    g_assert_cmpint(opened->header.width, ==, orientation > 4 ? SIDE_Y : SIDE_X);
    check_rows(file, image, orientation != 1);
    g_assert_cmpint(ms_image_get_width(image), ==, opened->header.width);
    g_assert_cmpuint(metadata->x_pixels_per_metre, ==, orientation > 4 ? 5906 : 11811);
    g_assert_cmpuint(metadata->y_pixels_per_metre, ==, orientation > 4 ? 11811 : 5906);
    for (int y = 0; y < SIDE_Y; y++)
      for (int x = 0; x < SIDE_X; x++) {
        guint8 expected[4];
        tiff_layout_expect(&plain, x, y, expected);
        g_assert_cmpmem(ms_image_get_pixels(image) + seen_at(orientation, x, y) * 4, 4, expected, 4);
      }
  }
}

/* ---- Losses are reported; unsupported files are refused. */

static MsImageHeader
peek(GBytes *file)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(MsImageFile) opened = ms_image_file_open_bytes(file, "test", NULL, NULL, &error);

  g_assert_no_error(error);
  return opened->header;
}

static void
test_losses(void)
{
  g_autoptr(GBytes) eight = tiff_layout_write(&plain);
  g_autoptr(GBytes) sixteen =
    tiff_layout_write(&(TiffLayout){"wl", PHOTOMETRIC_RGB, 16, -1, COMPRESSION_NONE, FALSE, FALSE});
  TiffMemory memory;
  TIFF *tiff = tiff_memory_open(&memory, "wl");

  for (int page = 0; page < 2; page++) {
    tiff_layout_set(tiff, &plain);
    tiff_layout_write_pixels(tiff, &plain);
    TIFFWriteDirectory(tiff);
  }
  TIFFClose(tiff);
  g_autoptr(GBytes) pages = g_byte_array_free_to_bytes(memory.bytes);
  MsImageHeader header = peek(eight);
  g_assert_null(ms_losses_describe(&header, NULL, "a", MS_LANGUAGE_ENGLISH));
  header = peek(sixteen);
  g_autofree char *bits = ms_losses_describe(&header, NULL, "a", MS_LANGUAGE_ENGLISH);
  g_assert_cmpstr(bits, ==, "'a': its 16 bits a sample were reduced to 8.");
  header = peek(pages);
  g_autofree char *first = ms_losses_describe(&header, NULL, "a", MS_LANGUAGE_ENGLISH);
  g_assert_cmpstr(first, ==, "'a': only the first of its images was read.");
  g_autoptr(MsImage) one = ms_test_decode(eight);
  g_autoptr(MsImage) of_two = ms_test_decode(pages);
  ms_test_assert_same_image(one, of_two);
}

static void
set_preview(TIFF *tiff, int value)
{
  TIFFSetField(tiff, TIFFTAG_SUBFILETYPE, FILETYPE_REDUCEDIMAGE);
}

static void
set_complex(TIFF *tiff, int value)
{
  TIFFSetField(tiff, TIFFTAG_SAMPLEFORMAT, SAMPLEFORMAT_COMPLEXINT);
}

static void
test_refused_kinds(void)
{
  static const SetTags kinds[] = {set_preview, set_complex};

  for (gsize i = 0; i < G_N_ELEMENTS(kinds); i++) {
    g_autoptr(GBytes) file = write_with(kinds[i], 0);
    ms_test_assert_refused(file, MS_ERROR_FORMAT);
  }
}

/* ---- Our own files. */

static void
test_round_trips(void)
{
  format_assert_round_trips(MS_IMAGE_FORMAT_TIFF, 70000, 9);
}

static void
test_metadata(void)
{
  format_assert_metadata(MS_IMAGE_FORMAT_TIFF, TRUE);
}

/* Of each tag as many values as bytes that are given here; a reader must not depend on their number. */
static MsGeo *
some_geo(const char *no_data)
{
  static const double numbers[3 * (MS_GEO_N_TAGS + 2)] = {0.5, -3, 1e300, 4};
  static const guint16 keys[] = {1, 1, 0, 2, 1025, 0, 1, 2, 3072, 0, 1, 32632};
  GBytes *values[MS_GEO_N_TAGS];

  for (guint i = 0; i < MS_GEO_N_TAGS; i++)
    values[i] = ms_geo_tags[i].type == MS_GEO_DOUBLES  ? g_bytes_new(numbers, (i + 2) * 3 * sizeof *numbers)
                : ms_geo_tags[i].type == MS_GEO_SHORTS ? g_bytes_new(keys, sizeof keys)
                                                       : g_bytes_new(no_data, strlen(no_data) + 1);
  MsGeo *geo = ms_geo_new(values);
  for (guint i = 0; i < MS_GEO_N_TAGS; i++)
    g_bytes_unref(values[i]);
  return geo;
}

/* The tags come back bit for bit, from a whole file and by rows, and other formats say that they dropped them. */
static void
test_places(void)
{
  g_autoptr(MsMetadata) metadata = ms_metadata_new(NULL, NULL, 0, 0);
  MsSaveOptions options = ms_save_options_default();
  MsSaveNotes notes;

  ms_metadata_take_geo(metadata, some_geo("7"));
  g_autoptr(MsImage) image = ms_test_image_smooth(40, 20, metadata);
  options.format = MS_IMAGE_FORMAT_TIFF;
  g_autoptr(GBytes) file = ms_image_encode(image, &options, &notes, NULL, NULL);
  g_autoptr(MsImage) again = ms_test_decode(file);
  const MsGeo *kept = ms_image_get_metadata(again)->geo;
  g_assert_nonnull(kept);
  g_assert_false(notes.geo_dropped);
  for (guint i = 0; i < MS_GEO_N_TAGS; i++)
    g_assert_true(g_bytes_equal(kept->values[i], metadata->geo->values[i]));
  options.format = MS_IMAGE_FORMAT_PNG;
  g_autoptr(GBytes) png = ms_image_encode(image, &options, &notes, NULL, NULL);
  g_assert_true(notes.geo_dropped);
}

static void
test_places_mean(void)
{
  static const struct {
    const char *text;
    int value;
  } cases[] = {{"0", 0},    {"255", 255}, {" 12 ", 12}, {"12.0", 12}, {"256", -1}, {"-1", -1},
               {"1.5", -1}, {"nan", -1},  {"", -1},     {"7x", -1},   {"inf", -1}};
  double c[MS_GEO_N_COEFFICIENTS];

  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autoptr(MsGeo) geo = some_geo(cases[i].text);
    guint8 value = 0;
    g_assert_cmpint(ms_geo_get_no_data(geo, &value), ==, cases[i].value >= 0);
    if (cases[i].value >= 0)
      g_assert_cmpint(value, ==, cases[i].value);
    g_assert_cmpuint(ms_geo_get_epsg(geo), ==, 32632);
  }
  ms_geo_get_transform(NULL, c);
  g_assert_cmpfloat(c[1], ==, 1);
  g_assert_cmpfloat(c[5], ==, 1);
}

/* Numbers of 32 bits whose tiles might exceed 4 GiB, however badly they compress, are BigTIFF. */
static void
test_numbers_are_big(void)
{
  g_assert_false(ms_tiff_numbers_are_big(30000, 30000));
  g_assert_true(ms_tiff_numbers_are_big(33000, 33000));
  g_assert_true(ms_tiff_numbers_are_big(1, 20000000));
}

/* ---- Damage. */

static void
test_every_length(void)
{
  g_autoptr(MsImage) image = ms_test_image_random(9, 8, 3, FALSE, NULL);
  g_autoptr(GBytes) file = ms_test_encode(image, MS_IMAGE_FORMAT_TIFF);

  ms_test_assert_cut_refused(file, 0, 1);
}

/* What a picture says of its place can be asked for whatever the file holds. */
static void
read_geo(const MsGeo *geo)
{
  double c[MS_GEO_N_COEFFICIENTS];
  guint8 value = 0;

  ms_geo_get_transform(geo, c);
  if (!geo)
    return;
  ms_geo_get_no_data(geo, &value);
  ms_geo_get_epsg(geo);
}

static void
read_place(MsImage *image)
{
  read_geo(ms_image_get_metadata(image) ? ms_image_get_metadata(image)->geo : NULL);
}

/* The format has no checksum but that of deflate, so that at least damaged pixels are refused. */
static void
test_every_bit(void)
{
  g_autoptr(MsImage) image = ms_test_image_random(9, 8, 3, FALSE, NULL);
  g_autoptr(GBytes) file = ms_test_encode(image, MS_IMAGE_FORMAT_TIFF);

  g_assert_cmpuint(format_flip_every_bit(file, read_place), >, 9 * 8 * 4 * 8 / 2);
}

/* Damaged tags, and tags of every length, give some place or none. */
static void
test_damaged_places(void)
{
  g_autoptr(MsMetadata) metadata = ms_metadata_new(NULL, NULL, 0, 0);

  ms_metadata_take_geo(metadata, some_geo("7"));
  g_autoptr(MsImage) image = ms_test_image_smooth(4, 2, metadata);
  g_autoptr(GBytes) file = ms_test_encode(image, MS_IMAGE_FORMAT_TIFF);
  format_flip_every_bit(file, read_place);
  for (guint tag = 0; tag < MS_GEO_N_TAGS; tag++)
    for (gsize length = 0; length < g_bytes_get_size(metadata->geo->values[tag]); length++) {
      /* A copy of its own, so that a read behind it is one behind its memory. */
      g_autoptr(GBytes) cut = g_bytes_new(g_bytes_get_data(metadata->geo->values[tag], NULL), length);
      GBytes *values[MS_GEO_N_TAGS] = {NULL};
      values[tag] = cut;
      g_autoptr(MsGeo) geo = ms_geo_new(values);
      read_geo(geo);
    }
}

/* A header that claims @width x @height pixels in one strip of @compression, with no data to speak of. */
static void
check_header(guint32 width, guint32 height, int compression, int code)
{
  TiffMemory memory;
  TIFF *tiff = tiff_memory_open(&memory, "wl");

  TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, width);
  TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, height);
  TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, 8);
  TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, 3);
  TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_RGB);
  TIFFSetField(tiff, TIFFTAG_COMPRESSION, compression);
  TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, height);
  TIFFWriteRawStrip(tiff, 0, "some bytes", 10);
  TIFFClose(tiff);
  g_autoptr(GBytes) file = g_byte_array_free_to_bytes(memory.bytes);
  ms_test_assert_refused(file, code);
}

static void
test_lying_headers(void)
{
  check_header(30000, 30000, COMPRESSION_NONE, MS_ERROR_FORMAT);
  check_header(30000, 30000, COMPRESSION_ADOBE_DEFLATE, MS_ERROR_FORMAT);
  check_header(30000, 30000, COMPRESSION_LZW, MS_ERROR_FORMAT);
  check_header(40000, 40000, COMPRESSION_NONE, MS_ERROR_TOO_LARGE);
  check_header(G_MAXUINT32, 3, COMPRESSION_NONE, MS_ERROR_FORMAT);
  check_header(G_MAXINT32, G_MAXINT32, COMPRESSION_LZW, MS_ERROR_FORMAT);
  check_header(100, 100, COMPRESSION_NONE, MS_ERROR_FORMAT);
}

void
ms_test_tiff(void)
{
  TIFFSetErrorHandler(NULL);
  TIFFSetWarningHandler(NULL);
  g_test_add_func("/tiff/layouts", test_layouts);
  g_test_add_func("/tiff/compressions", test_compressions);
  g_test_add_func("/tiff/converted", test_converted);
  g_test_add_func("/tiff/orientations", test_orientations);
  g_test_add_func("/tiff/losses", test_losses);
  g_test_add_func("/tiff/refused-kinds", test_refused_kinds);
  g_test_add_func("/tiff/round-trips", test_round_trips);
  g_test_add_func("/tiff/metadata", test_metadata);
  g_test_add_func("/tiff/places", test_places);
  g_test_add_func("/tiff/places-mean", test_places_mean);
  g_test_add_func("/tiff/numbers-are-big", test_numbers_are_big);
  g_test_add_func("/tiff/every-length", test_every_length);
  g_test_add_func("/tiff/every-bit", test_every_bit);
  g_test_add_func("/tiff/damaged-places", test_damaged_places);
  g_test_add_func("/tiff/lying-headers", test_lying_headers);
}
