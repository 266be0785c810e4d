/* SPDX-License-Identifier: MIT */
#include "core/lab/kinds/scene.h"

#define OCTAVES 4

/* A hash of a lattice point; integers only, so that every compiler generates the same picture. */
static guint32
mix(guint32 x, guint32 y, guint32 layer)
{
  guint32 h = x * 0x9e3779b1u ^ y * 0x85ebca77u ^ layer * 0xc2b2ae3du;

  h ^= h >> 15;
  h *= 0x2c1b3c6du;
  h ^= h >> 12;
  h *= 0x297a2d39u;
  return h ^ h >> 15;
}

/* Value noise of one lattice spacing (a power of two), 0..255, bilinear. */
static int
lattice_noise(int x, int y, int shift, guint32 layer)
{
  int gx = x >> shift, gy = y >> shift;
  int fx = x & ((1 << shift) - 1), fy = y & ((1 << shift) - 1);
  int a = mix(gx, gy, layer) & 255, b = mix(gx + 1, gy, layer) & 255;
  int c = mix(gx, gy + 1, layer) & 255, d = mix(gx + 1, gy + 1, layer) & 255;
  int top = (a << shift) + (b - a) * fx, bottom = (c << shift) + (d - c) * fx;

  return (int)((((gint64)top << shift) + (gint64)(bottom - top) * fy) >> (2 * shift));
}

/* Large smooth shapes with a fine texture. */
static int
soft_noise(int x, int y, guint32 layer)
{
  static const int shifts[OCTAVES] = {7, 5, 3, 1};
  static const int weights[OCTAVES] = {150, 60, 30, 16};
  int sum = 0;

  for (int i = 0; i < OCTAVES; i++)
    sum += lattice_noise(x, y, shifts[i], layer * OCTAVES + i) * weights[i];
  return sum >> 8;
}

/* Flat regions with hard borders: the cell of a jittered grid that the pixel falls in. */
static guint32
region_of(int x, int y)
{
  int jitter = (lattice_noise(x, y, 5, 91) - 128) / 3;

  return mix((x + jitter) / 96, (y - jitter) / 80, 7);
}

static void
paint_pixel(guint8 *pixel, int x, int y)
{
  guint32 region = region_of(x, y);
  int grain = (int)(mix(x, y, 1) & 7) - 3;

  for (int k = 0; k < 3; k++) {
    int flat = (int)(region >> (8 * k) & 255);
    int value = (2 * flat + 2 * soft_noise(x, y, k)) / 4 + grain;
    pixel[k] = (guint8)CLAMP(value, 0, 255);
  }
  pixel[3] = 255;
}

/**
 * ms_scene_new:
 * @width: pixels in a row
 * @height: rows
 *
 * Returns: (transfer full): an opaque picture; a smaller one is the top left of a larger one
 */
MsImage *
ms_scene_new(int width, int height)
{
  guint8 *pixels = g_malloc((gsize)width * height * 4);

  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      paint_pixel(pixels + ((gsize)y * width + x) * 4, x, y);
  return ms_image_new_take(width, height, pixels, NULL);
}
