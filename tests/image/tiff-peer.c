/* SPDX-License-Identifier: MIT */
#include "tests/image/tiff-peer.h"

#include <math.h>
#include <string.h>

#define MOST_ROW (SIDE_X * 4 * 8)

static tmsize_t
memory_read(thandle_t handle, void *buffer, tmsize_t size)
{
  TiffMemory *self = handle;
  gsize n = self->at < self->bytes->len ? MIN((gsize)size, self->bytes->len - self->at) : 0;

  memcpy(buffer, self->bytes->data + self->at, n);
  self->at += n;
  return n;
}

static tmsize_t
memory_write(thandle_t handle, void *data, tmsize_t size)
{
  TiffMemory *self = handle;

  if (self->at + size > self->bytes->len)
    g_byte_array_set_size(self->bytes, self->at + size);
  memcpy(self->bytes->data + self->at, data, size);
  self->at += size;
  return size;
}

static toff_t
memory_seek(thandle_t handle, toff_t offset, int whence)
{
  TiffMemory *self = handle;

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
  return ((TiffMemory *)handle)->bytes->len;
}

/** tiff_memory_open: a file in @self; TIFFClose() leaves its bytes there. */
TIFF *
tiff_memory_open(TiffMemory *self, const char *mode)
{
  *self = (TiffMemory){g_byte_array_new(), 0};
  return TIFFClientOpen("memory", mode, self, memory_read, memory_write, memory_seek, memory_close, memory_size, NULL,
                        NULL);
}

/* libtiff refuses uncompressed tiles of fewer bytes where it converts them. */
#define TILE 32

static int
colours_of(const TiffLayout *layout)
{
  return layout->photometric == PHOTOMETRIC_RGB ? 3 : 1;
}

static int
samples_of(const TiffLayout *layout)
{
  return colours_of(layout) + (layout->extra >= 0 ? 1 : 0);
}

/* From 0 to 1; the alpha sample is opaque, half, clear in turn. */
static double
ideal_sample(const TiffLayout *layout, int x, int y, int sample)
{
  if (sample == colours_of(layout))
    return (x + y) % 3 / 2.0;
  return ((x * 7 + y * 3 + sample * 31) % 64) / 63.0;
}

static guint64
stored_sample(const TiffLayout *layout, int x, int y, int sample)
{
  double value = ideal_sample(layout, x, y, sample);

  if (layout->extra == EXTRASAMPLE_ASSOCALPHA && sample < colours_of(layout))
    value *= ideal_sample(layout, x, y, colours_of(layout));
  return (guint64)floor(value * ((1 << layout->bits) - 1) + 0.5);
}

static void
put_sample(const TiffLayout *layout, guint8 *row, int index, int x, int y, int sample)
{
  guint64 value = stored_sample(layout, x, y, sample);
  int bit = index * layout->bits;

  if (layout->bits == 16)
    ((guint16 *)row)[index] = value;
  else
    row[bit / 8] |= value << (8 - layout->bits - bit % 8);
}

/* A row of @n pixels from (@x0, @y) on, of all samples or of @plane; pixels outside repeat the last. */
static void
fill_row(const TiffLayout *layout, guint8 *row, int x0, int y, int n, int plane)
{
  int samples = layout->separate ? 1 : samples_of(layout);

  memset(row, 0, MOST_ROW * 2);
  for (int x = 0; x < n; x++)
    for (int k = 0; k < samples; k++)
      put_sample(layout, row, x * samples + k, MIN(x0 + x, SIDE_X - 1), MIN(y, SIDE_Y - 1),
                 layout->separate ? plane : k);
}

static void
write_tiles(TIFF *tiff, const TiffLayout *layout, int plane)
{
  gsize stride = TIFFTileRowSize(tiff);
  g_autofree guint8 *tile = g_malloc0(TIFFTileSize(tiff) + MOST_ROW * 2);

  for (int y = 0; y < SIDE_Y; y += TILE)
    for (int x = 0; x < SIDE_X; x += TILE) {
      for (int row = 0; row < TILE; row++) {
        guint8 line[MOST_ROW * 2];
        fill_row(layout, line, x, y + row, TILE, plane);
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

/** tiff_layout_set: the tags of the layout. */
void
tiff_layout_set(TIFF *tiff, const TiffLayout *layout)
{
  guint16 extra = layout->extra;

  TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, SIDE_X);
  TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, SIDE_Y);
  TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, layout->bits);
  TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, samples_of(layout));
  TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, layout->photometric);
  TIFFSetField(tiff, TIFFTAG_COMPRESSION, layout->compression);
  TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, layout->separate ? PLANARCONFIG_SEPARATE : PLANARCONFIG_CONTIG);
  if (layout->extra >= 0)
    TIFFSetField(tiff, TIFFTAG_EXTRASAMPLES, 1, &extra);
  if (layout->photometric == PHOTOMETRIC_PALETTE)
    set_palette(tiff, layout->bits);
  if (layout->tiled) {
    TIFFSetField(tiff, TIFFTAG_TILEWIDTH, TILE);
    TIFFSetField(tiff, TIFFTAG_TILELENGTH, TILE);
  } else {
    TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, 5);
  }
}

/** tiff_layout_write_pixels: the samples, after all tags are set. */
void
tiff_layout_write_pixels(TIFF *tiff, const TiffLayout *layout)
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

/** tiff_layout_write: (transfer full): a file of the layout. */
GBytes *
tiff_layout_write(const TiffLayout *layout)
{
  TiffMemory memory;
  TIFF *tiff = tiff_memory_open(&memory, layout->mode);

  tiff_layout_set(tiff, layout);
  tiff_layout_write_pixels(tiff, layout);
  TIFFClose(tiff);
  return g_byte_array_free_to_bytes(memory.bytes);
}

static guint8
to_eight_bits(double value, double most)
{
  return (guint8)floor(value * 255 / most + 0.5);
}

static guint8
expected_sample(const TiffLayout *layout, int x, int y, int sample)
{
  return to_eight_bits(stored_sample(layout, x, y, sample), (1 << layout->bits) - 1);
}

/**
 * tiff_layout_expect: @rgba: (out): the 4 bytes that a reader must give for a pixel. Of planes libtiff gives colours
 * multiplied by alpha, where a tag says that there is alpha.
 */
void
tiff_layout_expect(const TiffLayout *layout, int x, int y, guint8 *rgba)
{
  int colours = colours_of(layout);

  const gboolean has_alpha = layout->extra >= (layout->separate ? EXTRASAMPLE_ASSOCALPHA : EXTRASAMPLE_UNSPECIFIED);
  const gboolean by_library = layout->separate && layout->extra == EXTRASAMPLE_UNASSALPHA;

  rgba[3] = has_alpha ? expected_sample(layout, x, y, colours) : 255;
  for (int k = 0; k < 3; k++) {
    int value = expected_sample(layout, x, y, colours == 3 ? k : 0);
    if (layout->photometric == PHOTOMETRIC_PALETTE)
      value = stored_sample(layout, x, y, 0) * (50 + 30 * k) % 256;
    if (layout->photometric == PHOTOMETRIC_MINISWHITE)
      value = 255 - value;
    if (by_library)
      value = (value * rgba[3] + 127) / 255;
    const double alpha = layout->extra >= 0 ? stored_sample(layout, x, y, colours) : 0;
    if (layout->extra == EXTRASAMPLE_ASSOCALPHA && layout->bits > 8 && !layout->separate) /* before it is reduced */
      value = alpha > 0 ? MIN(255, floor(stored_sample(layout, x, y, colours == 3 ? k : 0) * 255.0 / alpha + 0.5)) : 0;
    else if (layout->extra == EXTRASAMPLE_ASSOCALPHA || by_library)
      value = rgba[3] == 0 ? 0 : MIN(255, floor(value * 255.0 / rgba[3] + 0.5));
    rgba[k] = value;
  }
}
