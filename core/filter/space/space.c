/* SPDX-License-Identifier: MIT */
/*
 * All arithmetic is in integers, as in cv::cvtColor() of 8-bit images, so that kernels/space/ gives the same values on
 * every device.
 */
#include "core/filter/space/space.h"

#include <string.h>

/* The unit of light and of the cube roots in the conversion back. */
#define BASE 16384

static int
shift_rounded(int value, int bits)
{
  return (value + (1 << (bits - 1))) >> bits;
}

/* A row of a matrix times a colour. */
static int
times(const gint32 *row, int first, int second, int third)
{
  return row[0] * first + row[1] * second + row[2] * third;
}

/* The cube root's table ends at white; a matrix that is rounded may lead a step further. */
static int
root_of(const gint32 *tables, const gint32 *row, int r, int g, int b)
{
  return tables[MS_SPACE_ROOT + CLAMP(shift_rounded(times(row, r, g, b), 12), 0, 2040)];
}

/* The channels are stored last first, as OpenCV does with a picture in blue, green and red. */
static void
store(guint8 *p, int first, int second, int third)
{
  p[0] = (guint8)CLAMP(third, 0, 255);
  p[1] = (guint8)CLAMP(second, 0, 255);
  p[2] = (guint8)CLAMP(first, 0, 255);
}

static void
rgb_to_lab(const gint32 *tables, const guint8 *rgb, guint8 *lab)
{
  const gint32 *linear = tables + MS_SPACE_LINEAR, *matrix = tables + MS_SPACE_TO_XYZ;
  const int r = linear[rgb[0]], g = linear[256 + rgb[1]], b = linear[512 + rgb[2]];
  const int x = root_of(tables, matrix, r, g, b), y = root_of(tables, matrix + 3, r, g, b),
            z = root_of(tables, matrix + 6, r, g, b);

  store(lab, shift_rounded(296 * y - 1336934, 15), shift_rounded(500 * (x - y) + (128 << 15), 15),
        shift_rounded(200 * (y - z) + (128 << 15), 15));
}

/* The inverse of the standard's cube root function. */
static int
light_of(int root)
{
  return root <= 3390 ? root * 108 / 841 - 290 : root * root / BASE * root / BASE;
}

/* The colour of X, Y and Z, or of their parts of white, by the inverse @matrix for these. */
static void
encode(const gint32 *tables, const gint32 *matrix, const int xyz[3], guint8 *rgb)
{
  for (int k = 0; k < 3; k++) {
    const int light = shift_rounded(times(matrix + 3 * k, xyz[0], xyz[1], xyz[2]), 14);
    rgb[k] = (guint8)tables[MS_SPACE_ENCODE + 4096 * k + CLAMP(light, 0, 4095)];
  }
}

static void
lab_to_rgb(const gint32 *tables, const guint8 *lab, guint8 *rgb)
{
  const gint32 *light = tables + MS_SPACE_LIGHT + 2 * lab[2];
  const int a = ((5 * lab[1] * 53687 + 128) >> 13) - 128 * BASE / 500;
  const int b = ((lab[0] * 41943 + 16) >> 9) - 128 * BASE / 200 + 1;
  const int parts[3] = {light_of(light[1] + a), light[0], light_of(light[1] - b)};

  encode(tables, tables + MS_SPACE_FROM_PARTS, parts, rgb);
}

/*
 * Interpolates between the eight nodes around the colour, which lie 8 values apart, in sixteenths: 64 times the 8-bit
 * values.
 */
static void
rgb_to_luv(const gint32 *tables, const guint8 *rgb, guint8 *luv)
{
  int sums[3] = {0, 0, 0};

  for (int corner = 0; corner < 8; corner++) {
    int weight = 1, node = 0;
    for (int k = 0; k < 3; k++) {
      const int far = corner >> k & 1, part = 2 * (rgb[k] % 8);
      weight *= far ? part : 16 - part;
      node = node * MS_SPACE_NODES + rgb[k] / 8 + far;
    }
    for (int k = 0; k < 3; k++)
      sums[k] += weight * tables[MS_SPACE_LUV_NODES + 4 * node + k];
  }
  store(luv, shift_rounded(sums[0], 12) / 64, shift_rounded(sums[1], 12) / 64, shift_rounded(sums[2], 12) / 64);
}

static void
luv_to_rgb(const gint32 *tables, const guint8 *luv, guint8 *rgb)
{
  const int l = luv[2], y = tables[MS_SPACE_LIGHT + 2 * l];
  const gint64 u = tables[MS_SPACE_U + l * 256 + luv[1]], v = tables[MS_SPACE_V + l * 256 + luv[0]];
  const gint64 lowered = (12 * 13 * 100 * 16 * (l * v) - u * v * 85) / BASE - 5 * 255 * BASE;
  const int scaled = (int)(y * lowered / BASE);
  const int xyz[3] = {CLAMP((int)(y * (u * v / BASE) / BASE), 0, 2 * BASE), y,
                      CLAMP(scaled / 256 + scaled / 65536, 0, 2 * BASE)};

  encode(tables, tables + MS_SPACE_FROM_XYZ, xyz, rgb);
}

/*
 * Interpolates between the eight nodes around @place, with 125 as the sum of their weights, and 4 as the unit of their
 * numbers. Past the last node none has any weight.
 */
static void
between_nodes(const gint32 *nodes, const int place[3], int value[3])
{
  int sums[3] = {0, 0, 0};

  for (int corner = 0; corner < 8; corner++) {
    int weight = 1, node = 0;
    for (int k = 0; k < 3; k++) {
      const int far = corner >> k & 1, part = place[k] % 5;
      weight *= far ? part : 5 - part;
      node = node * MS_SPACE_SIDE + MIN(place[k] / 5 + far, MS_SPACE_SIDE - 1);
    }
    for (int k = 0; k < 3; k++)
      sums[k] += weight * (nodes[node] >> 10 * (2 - k) & 1023);
  }
  for (int k = 0; k < 3; k++)
    value[k] = (sums[k] + 250) / 500;
}

static void
rgb_by_nodes(const gint32 *tables, const guint8 *rgb, guint8 *converted)
{
  int value[3];

  between_nodes(tables + MS_SPACE_FROM_RGB, (const int[]){rgb[0], rgb[1], rgb[2]}, value);
  store(converted, value[0], value[1], value[2]);
}

static void
nodes_to_rgb(const gint32 *tables, const guint8 *converted, guint8 *rgb)
{
  int value[3];

  between_nodes(tables + MS_SPACE_TO_RGB, (const int[]){converted[2], converted[1], converted[0]}, value);
  store(rgb, value[2], value[1], value[0]);
}

/* From one colour of three bytes to another. */
typedef void (*Conversion)(const gint32 *tables, const guint8 *from, guint8 *to);

static void
keep(const gint32 *tables, const guint8 *from, guint8 *to)
{
  memcpy(to, from, 3);
}

typedef enum {
  FORTH,
  BACK,
} Way;

static Conversion
choose(MsSpace space, Way way, const gint32 *tables)
{
  static const Conversion conversions[][2] = {
    [MS_SPACE_RGB] = {keep, keep},
    [MS_SPACE_LUV] = {rgb_to_luv, luv_to_rgb},
    [MS_SPACE_LAB] = {rgb_to_lab, lab_to_rgb},
  };
  static const Conversion by_nodes[] = {rgb_by_nodes, nodes_to_rgb};

  return space != MS_SPACE_RGB && tables[MS_SPACE_BY_NODES] ? by_nodes[way] : conversions[space][way];
}

static void
convert_all(Conversion conversion, const gint32 *tables, const guint8 *from, guint8 *to, gsize n)
{
  for (gsize i = 0; i < n; i++, from += 4, to += 4) {
    guint8 colour[3];
    conversion(tables, from, colour);
    memcpy(to, colour, sizeof colour);
    to[3] = from[3];
  }
}

/**
 * ms_space_convert:
 * @tables: of ms_space_tables_get() for @space
 * @rgba: @n pixels
 * @converted: (out): the same pixels in @space, with their alpha. The first channel of the space, L* of both, stands
 *   in the third byte and the last one in the first byte; may be @rgba
 *
 * For sRGB the values of cv::cvtColor() with COLOR_RGB2Luv or COLOR_RGB2Lab on 8-bit images.
 */
void
ms_space_convert(MsSpace space, const gint32 *tables, const guint8 *rgba, guint8 *converted, gsize n)
{
  convert_all(choose(space, FORTH, tables), tables, rgba, converted, n);
}

/** ms_space_restore: the reverse of ms_space_convert(), as COLOR_Luv2RGB and COLOR_Lab2RGB; @rgba may be @converted. */
void
ms_space_restore(MsSpace space, const gint32 *tables, const guint8 *converted, guint8 *rgba, gsize n)
{
  convert_all(choose(space, BACK, tables), tables, converted, rgba, n);
}

static MsImage *
convert_image(MsSpace space, MsImage *image, GError **error)
{
  const int width = ms_image_get_width(image), height = ms_image_get_height(image);
  guint8 *pixels = ms_image_try_alloc_pixels((guint64)width, (guint64)height);

  if (!pixels) {
    ms_set_error(error, MS_ERROR_MEMORY, "There is not enough memory to convert the colours of %dx%d pixels.", width,
                 height);
    return NULL;
  }
  g_autoptr(GBytes) bytes = ms_space_tables_of(space, image);
  const gint32 *tables = g_bytes_get_data(bytes, NULL);
  convert_all(choose(space, FORTH, tables), tables, ms_image_get_pixels(image), pixels, (gsize)width * height);
  return ms_image_new_take(width, height, pixels, ms_image_get_metadata(image));
}

/** ms_space_convert_image: (transfer full): @image in @space, or %NULL with #MS_ERROR_MEMORY. */
MsImage *
ms_space_convert_image(MsSpace space, MsImage *image, GError **error)
{
  return space == MS_SPACE_RGB ? g_object_ref(image) : convert_image(space, image, error);
}
