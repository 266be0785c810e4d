/* SPDX-License-Identifier: MIT */
/* TIFF of every layout, written by libtiff from known samples, and what must come out by the specification. */
#include <math.h>
#include <string.h>

#include <tiffio.h>

#include "core/error.h"
#include "core/image/codec.h"
#include "core/image/image-save.h"
#include "tests/support/image-files.h"

#define SIDE_X 37
#define SIDE_Y 29
#define MOST_ROW (SIDE_X * 4 * 8)

/* ---- Files in memory, through libtiff's own calls. */

typedef struct {
  GByteArray *bytes;
  gsize at;
} Memory;

static tmsize_t
memory_read(thandle_t handle, void *buffer, tmsize_t size)
{
  Memory *self = handle;
  gsize n = self->at < self->bytes->len ? MIN((gsize)size, self->bytes->len - self->at) : 0;

  memcpy(buffer, self->bytes->data + self->at, n);
  self->at += n;
  return n;
}

static tmsize_t
memory_write(thandle_t handle, void *data, tmsize_t size)
{
  Memory *self = handle;

  if (self->at + size > self->bytes->len)
    g_byte_array_set_size(self->bytes, self->at + size);
  memcpy(self->bytes->data + self->at, data, size);
  self->at += size;
  return size;
}

static toff_t
memory_seek(thandle_t handle, toff_t offset, int whence)
{
  Memory *self = handle;

  self->at = offset + (whence == SEEK_CUR ? self->at : whence == SEEK_END ? self->bytes->len : 0);
  return self->at;
}

static int
memory_close(thandle_t handle)
{
  return 0;
}

static toff_t
memory_size(thandle_t handle)
{
  return ((Memory *)handle)->bytes->len;
}

static TIFF *
memory_open(Memory *self, const char *mode)
{
  *self = (Memory){g_byte_array_new(), 0};
  return TIFFClientOpen("memory", mode, self, memory_read, memory_write, memory_seek, memory_close, memory_size, NULL,
                        NULL);
}

/* ---- Layouts. */

/* @bits is negative for floating-point samples; @extra: kind of the alpha sample, -1 for none; @mode: of TIFFOpen. */
typedef struct {
  const char *mode;
  int photometric;
  int bits;
  int extra;
  int compression;
  gboolean tiled;
  gboolean separate;
} Layout;

static int
colours_of(const Layout *layout)
{
  return layout->photometric == PHOTOMETRIC_RGB ? 3 : 1;
}

static int
samples_of(const Layout *layout)
{
  return colours_of(layout) + (layout->extra >= 0 ? 1 : 0);
}

/* From 0 to 1; the alpha sample is opaque, half, clear in turn. */
static double
ideal_sample(const Layout *layout, int x, int y, int sample)
{
  if (sample == colours_of(layout))
    return (x + y) % 3 / 2.0;
  return ((x * 7 + y * 3 + sample * 31) % 64) / 63.0;
}

static guint64
stored_sample(const Layout *layout, int x, int y, int sample)
{
  double value = ideal_sample(layout, x, y, sample);

  if (layout->extra == EXTRASAMPLE_ASSOCALPHA && sample < colours_of(layout))
    value *= ideal_sample(layout, x, y, colours_of(layout));
  return (guint64)floor(value * (layout->bits == 32 ? (double)G_MAXUINT32 : (1 << layout->bits) - 1) + 0.5);
}

static void
put_sample(const Layout *layout, guint8 *row, int index, int x, int y, int sample)
{
  guint64 value = layout->bits > 0 ? stored_sample(layout, x, y, sample) : 0;
  int bit = index * layout->bits;

  if (layout->bits == -32)
    ((float *)row)[index] = ideal_sample(layout, x, y, sample);
  else if (layout->bits == -64)
    ((double *)row)[index] = ideal_sample(layout, x, y, sample);
  else if (layout->bits == 32)
    ((guint32 *)row)[index] = value;
  else if (layout->bits == 16)
    ((guint16 *)row)[index] = value;
  else
    row[bit / 8] |= value << (8 - layout->bits - bit % 8);
}

/* A row of @n pixels from (@x0, @y) on, of all samples or of @plane; pixels outside repeat the last. */
static void
fill_row(const Layout *layout, guint8 *row, int x0, int y, int n, int plane)
{
  int samples = layout->separate ? 1 : samples_of(layout);

  memset(row, 0, MOST_ROW * 2);
  for (int x = 0; x < n; x++)
    for (int k = 0; k < samples; k++)
      put_sample(layout, row, x * samples + k, MIN(x0 + x, SIDE_X - 1), MIN(y, SIDE_Y - 1),
                 layout->separate ? plane : k);
}

static void
write_tiles(TIFF *tiff, const Layout *layout, int plane)
{
  gsize stride = TIFFTileRowSize(tiff);
  g_autofree guint8 *tile = g_malloc0(TIFFTileSize(tiff) + MOST_ROW * 2);

  for (int y = 0; y < SIDE_Y; y += 16)
    for (int x = 0; x < SIDE_X; x += 16) {
      for (int row = 0; row < 16; row++) {
        guint8 line[MOST_ROW * 2];
        fill_row(layout, line, x, y + row, 16, plane);
        memcpy(tile + row * stride, line, stride);
      }
      g_assert_cmpint(TIFFWriteTile(tiff, tile, x, y, 0, plane), >=, 0);
    }
}

static void
set_palette(TIFF *tiff, int bits)
{
  guint16 colours[3][256];

  for (int i = 0; i < 1 << bits; i++)
    for (int k = 0; k < 3; k++)
      colours[k][i] = ((i * (50 + 30 * k)) % 256) * 257;
  TIFFSetField(tiff, TIFFTAG_COLORMAP, colours[0], colours[1], colours[2]);
}

static void
set_layout(TIFF *tiff, const Layout *layout)
{
  guint16 extra = layout->extra;

  TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, SIDE_X);
  TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, SIDE_Y);
  TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, ABS(layout->bits));
  TIFFSetField(tiff, TIFFTAG_SAMPLEFORMAT, layout->bits < 0 ? SAMPLEFORMAT_IEEEFP : SAMPLEFORMAT_UINT);
  TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, samples_of(layout));
  TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, layout->photometric);
  TIFFSetField(tiff, TIFFTAG_COMPRESSION, layout->compression);
  TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, layout->separate ? PLANARCONFIG_SEPARATE : PLANARCONFIG_CONTIG);
  if (layout->extra >= 0)
    TIFFSetField(tiff, TIFFTAG_EXTRASAMPLES, 1, &extra);
  if (layout->photometric == PHOTOMETRIC_PALETTE)
    set_palette(tiff, layout->bits);
  if (layout->tiled) {
    TIFFSetField(tiff, TIFFTAG_TILEWIDTH, 16);
    TIFFSetField(tiff, TIFFTAG_TILELENGTH, 16);
  } else {
    TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, 5);
  }
}

static void
write_pixels(TIFF *tiff, const Layout *layout)
{
  int planes = layout->separate ? samples_of(layout) : 1;

  for (int plane = 0; plane < planes; plane++) {
    if (layout->tiled)
      write_tiles(tiff, layout, plane);
    for (int y = 0; y < SIDE_Y && !layout->tiled; y++) {
      guint8 row[MOST_ROW * 2];
      fill_row(layout, row, 0, y, SIDE_X, plane);
      g_assert_cmpint(TIFFWriteScanline(tiff, row, y, plane), >=, 0);
    }
  }
}

static GBytes *
write_layout(const Layout *layout)
{
  Memory memory;
  TIFF *tiff = memory_open(&memory, layout->mode);

  set_layout(tiff, layout);
  write_pixels(tiff, layout);
  TIFFClose(tiff);
  return g_byte_array_free_to_bytes(memory.bytes);
}

static guint8
to_eight_bits(double value, double most)
{
  return (guint8)floor(value * 255 / most + 0.5);
}

static guint8
expected_sample(const Layout *layout, int x, int y, int sample)
{
  if (layout->bits < 0)
    return to_eight_bits((float)ideal_sample(layout, x, y, sample), 1);
  return to_eight_bits(stored_sample(layout, x, y, sample),
                       layout->bits == 32 ? (double)G_MAXUINT32 : (1 << layout->bits) - 1);
}

static void
expected_pixel(const Layout *layout, int x, int y, guint8 *rgba)
{
  int colours = colours_of(layout);

  rgba[3] = layout->extra >= 0 ? expected_sample(layout, x, y, colours) : 255;
  for (int k = 0; k < 3; k++) {
    int value = expected_sample(layout, x, y, colours == 3 ? k : 0);
    if (layout->photometric == PHOTOMETRIC_PALETTE)
      value = stored_sample(layout, x, y, 0) * (50 + 30 * k) % 256;
    if (layout->photometric == PHOTOMETRIC_MINISWHITE)
      value = 255 - value;
    if (layout->extra == EXTRASAMPLE_ASSOCALPHA)
      value = rgba[3] == 0 ? 0 : MIN(255, floor(value * 255.0 / rgba[3] + 0.5));
    rgba[k] = value;
  }
}

static void
check_layout(const Layout *layout)
{
  g_autoptr(GBytes) file = write_layout(layout);
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
      expected_pixel(layout, x, y, expected);
      g_assert_cmpmem(p, 4, expected, 4);
    }
}

/* Little and big-endian, BigTIFF, every size of sample, alpha of each kind, strips and tiles, one or more planes. */
static void
test_layouts(void)
{
  static const struct {
    int photometric;
    int bits[8];
    gboolean may_have_alpha;
  } kinds[] = {
    {PHOTOMETRIC_MINISBLACK, {1, 2, 4, 8, 16, 32, -32, -64}, FALSE},
    {PHOTOMETRIC_MINISBLACK, {8, 16}, TRUE},
    {PHOTOMETRIC_MINISWHITE, {1, 4, 8, 16}, FALSE},
    {PHOTOMETRIC_PALETTE, {1, 2, 4, 8}, FALSE},
    {PHOTOMETRIC_RGB, {8, 16, 32, -32, -64}, FALSE},
    {PHOTOMETRIC_RGB, {8, 16}, TRUE},
  };
  static const char *const modes[] = {"wl", "wb", "w8"};

  for (gsize i = 0; i < G_N_ELEMENTS(kinds); i++)
    for (int b = 0; b < 8 && kinds[i].bits[b] != 0; b++)
      for (int form = 0; form < 4; form++) {
        gboolean separate = form / 2 == 1 && kinds[i].photometric != PHOTOMETRIC_PALETTE;
        for (int extra = kinds[i].may_have_alpha ? 0 : -1; extra <= (kinds[i].may_have_alpha ? 2 : -1); extra++)
          check_layout(&(Layout){modes[(b + form) % 3], kinds[i].photometric, kinds[i].bits[b], extra, COMPRESSION_NONE,
                                 form % 2, separate});
      }
}

static void
test_compressions(void)
{
  static const int compressions[] = {COMPRESSION_LZW, COMPRESSION_ADOBE_DEFLATE, COMPRESSION_PACKBITS};

  for (gsize i = 0; i < G_N_ELEMENTS(compressions); i++)
    for (int form = 0; form < 4; form++)
      check_layout(&(Layout){"wl", PHOTOMETRIC_RGB, 8, EXTRASAMPLE_UNASSALPHA, compressions[i], form % 2, form / 2});
}

/* Colour spaces that libtiff converts, in more strips than one. */
static void
test_converted(void)
{
  Memory memory;
  TIFF *tiff = memory_open(&memory, "wl");
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
}

static const Layout plain = {"wl", PHOTOMETRIC_RGB, 8, -1, COMPRESSION_NONE, FALSE, FALSE};

typedef void (*SetTags)(TIFF *tiff, int value);

static GBytes *
write_with(SetTags set, int value)
{
  Memory memory;
  TIFF *tiff = memory_open(&memory, "wl");

  set_layout(tiff, &plain);
  set(tiff, value);
  write_pixels(tiff, &plain);
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
    MsImageHeader header;
    g_assert_true(ms_image_peek_bytes(file, "test", NULL, &header, NULL));
    g_assert_cmpint(header.width, ==, orientation > 4 ? SIDE_Y : SIDE_X);
    g_assert_cmpint(ms_image_get_width(image), ==, header.width);
    g_assert_cmpuint(metadata->x_pixels_per_metre, ==, orientation > 4 ? 5906 : 11811);
    g_assert_cmpuint(metadata->y_pixels_per_metre, ==, orientation > 4 ? 11811 : 5906);
    for (int y = 0; y < SIDE_Y; y++)
      for (int x = 0; x < SIDE_X; x++) {
        guint8 expected[4];
        expected_pixel(&plain, x, y, expected);
        g_assert_cmpmem(ms_image_get_pixels(image) + seen_at(orientation, x, y) * 4, 4, expected, 4);
      }
  }
}

/* ---- Losses are reported; unsupported files are refused. */

static MsImageHeader
peek(GBytes *file)
{
  MsImageHeader header;
  g_autoptr(GError) error = NULL;

  g_assert_true(ms_image_peek_bytes(file, "test", NULL, &header, &error));
  g_assert_no_error(error);
  return header;
}

static void
test_losses(void)
{
  g_autoptr(GBytes) eight = write_layout(&plain);
  g_autoptr(GBytes) sixteen = write_layout(&(Layout){"wl", PHOTOMETRIC_RGB, 16, -1, COMPRESSION_NONE, FALSE, FALSE});
  Memory memory;
  TIFF *tiff = memory_open(&memory, "wl");

  for (int page = 0; page < 2; page++) {
    set_layout(tiff, &plain);
    write_pixels(tiff, &plain);
    TIFFWriteDirectory(tiff);
  }
  TIFFClose(tiff);
  g_autoptr(GBytes) pages = g_byte_array_free_to_bytes(memory.bytes);
  MsImageHeader header = peek(eight);
  g_assert_null(ms_image_header_describe_losses(&header, "a"));
  header = peek(sixteen);
  g_autofree char *bits = ms_image_header_describe_losses(&header, "a");
  g_assert_cmpstr(bits, ==, "'a': its 16 bits a sample were reduced to 8.");
  header = peek(pages);
  g_autofree char *first = ms_image_header_describe_losses(&header, "a");
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
set_signed(TIFF *tiff, int value)
{
  TIFFSetField(tiff, TIFFTAG_SAMPLEFORMAT, SAMPLEFORMAT_INT);
}

static void
test_refused_kinds(void)
{
  static const SetTags kinds[] = {set_preview, set_signed};

  for (gsize i = 0; i < G_N_ELEMENTS(kinds); i++) {
    g_autoptr(GBytes) file = write_with(kinds[i], 0);
    ms_test_assert_refused(file, MS_ERROR_FORMAT);
  }
}

/* ---- Our own files. */

static void
test_round_trips(void)
{
  static const int sizes[][2] = {{1, 1}, {1, 7}, {7, 1}, {255, 257}, {1, 70000}, {70000, 1}};

  for (gsize i = 0; i < G_N_ELEMENTS(sizes); i++)
    for (int opaque = 0; opaque < 2; opaque++)
      for (int level = 0; level <= 9; level += 3) {
        g_autoptr(MsImage) image = ms_test_image_random(sizes[i][0], sizes[i][1], 9 + i, opaque, NULL);
        MsSaveOptions options = {MS_IMAGE_FORMAT_TIFF, MS_QUALITY_AUTO, level, FALSE};
        g_autoptr(GError) error = NULL;
        g_autoptr(GBytes) file = ms_image_encode(image, &options, NULL, NULL, &error);
        g_assert_no_error(error);
        g_autoptr(MsImage) again = ms_test_decode(file);
        ms_test_assert_same_image(image, again);
      }
}

static void
test_metadata(void)
{
  guint8 profile[200] = "";
  g_autoptr(GBytes) exif = g_bytes_new_static("II*\0\010\0\0\0\0\0\0\0\0\0", 14);

  memcpy(profile + 16, "RGB ", 4);
  memcpy(profile + 36, "acsp", 4);
  g_autoptr(GBytes) icc = g_bytes_new(profile, sizeof profile);
  g_autoptr(MsMetadata) metadata = ms_metadata_new(icc, exif, 11811, 5906);
  g_autoptr(MsImage) image = ms_test_image_smooth(40, 20, metadata);
  MsSaveOptions options = ms_save_options_default();
  MsSaveNotes notes;
  options.format = MS_IMAGE_FORMAT_TIFF;
  g_autoptr(GBytes) file = ms_image_encode(image, &options, &notes, NULL, NULL);
  g_autoptr(MsImage) again = ms_test_decode(file);
  MsMetadata *kept = ms_image_get_metadata(again);
  g_assert_true(g_bytes_equal(kept->icc, icc));
  g_assert_cmpuint(kept->x_pixels_per_metre, ==, 11811);
  g_assert_cmpuint(kept->y_pixels_per_metre, ==, 5906);
  g_assert_true(notes.exif_dropped);
  g_assert_false(notes.icc_dropped);
}

/* ---- Damage. */

static void
test_every_length(void)
{
  g_autoptr(MsImage) image = ms_test_image_random(9, 8, 3, FALSE, NULL);
  g_autoptr(GBytes) file = ms_test_encode(image, MS_IMAGE_FORMAT_TIFF);

  for (gsize size = 0; size < g_bytes_get_size(file); size++) {
    g_autoptr(GBytes) cut = g_bytes_new_from_bytes(file, 0, size);
    ms_test_assert_refused(cut, MS_ERROR_FORMAT);
  }
}

/* The format has no checksum but that of deflate: a damaged file loads as some image or is refused with a sentence. */
static void
test_every_bit(void)
{
  g_autoptr(MsImage) image = ms_test_image_random(9, 8, 3, FALSE, NULL);
  g_autoptr(GBytes) file = ms_test_encode(image, MS_IMAGE_FORMAT_TIFF);
  gsize size;
  const guint8 *data = g_bytes_get_data(file, &size);
  MsImageLimits limits = ms_image_limits_default();
  guint refused = 0;

  limits.max_pixels = 1000000;
  for (gsize bit = 0; bit < size * 8; bit++) {
    g_autoptr(GError) error = NULL;
    guint8 *copy = g_memdup2(data, size);
    copy[bit / 8] ^= 1 << bit % 8;
    g_autoptr(GBytes) broken = g_bytes_new_take(copy, size);
    g_autoptr(MsImage) loaded = ms_image_load_bytes(broken, "the-file", &limits, NULL, &error);
    g_assert_true((loaded == NULL) == (error != NULL));
    if (error == NULL)
      continue;
    refused++;
    g_assert_true(error->domain == MS_ERROR && strstr(error->message, "'the-file'") != NULL);
  }
  /* All of the pixels' bytes at least: their stream has a checksum. */
  g_assert_cmpuint(refused, >, 9 * 8 * 4 * 8 / 2);
}

/* A header that claims @width x @height pixels in one strip of @compression, with no data to speak of. */
static void
check_header(guint32 width, guint32 height, int compression, int code)
{
  Memory memory;
  TIFF *tiff = memory_open(&memory, "wl");

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

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  if (!ms_codec_is_built(ms_codec_get(MS_IMAGE_FORMAT_TIFF)))
    return 77;
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
  g_test_add_func("/tiff/every-length", test_every_length);
  g_test_add_func("/tiff/every-bit", test_every_bit);
  g_test_add_func("/tiff/lying-headers", test_lying_headers);
  return g_test_run();
}
