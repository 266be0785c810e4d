/* SPDX-License-Identifier: MIT */
#include "core/image/metadata/orientation.h"

/* Side of the square tiles in which an image is transposed: two of them (8 KiB) fit the first-level cache. */
#define TILE 32

/** ms_orientation_swaps_sides: whether width and height are exchanged (orientations 5 to 8). */
gboolean
ms_orientation_swaps_sides(int orientation)
{
  return orientation >= 5 && orientation <= 8;
}

static void
reverse_pixels(guint32 *first, gsize n)
{
  for (guint32 *last = first + n - 1; first < last; first++, last--) {
    guint32 swap = *first;
    *first = *last;
    *last = swap;
  }
}

static void
mirror_rows(guint32 *pixels, int width, int height)
{
  for (int y = 0; y < height; y++)
    reverse_pixels(pixels + (gsize)y * width, width);
}

static void
flip_rows(guint32 *pixels, int width, int height)
{
  for (int y = 0; y < height / 2; y++) {
    guint32 *a = pixels + (gsize)y * width;
    guint32 *b = pixels + (gsize)(height - 1 - y) * width;
    for (int x = 0; x < width; x++) {
      guint32 swap = a[x];
      a[x] = b[x];
      b[x] = swap;
    }
  }
}

/* Pixel (x, y) of the source goes to column @column0 +- y of row @row0 +- x. */
static void
transpose_tile(const guint32 *source, int width, int height, int x0, int y0, guint32 *target, gboolean mirror,
               gboolean flip)
{
  int x1 = MIN(x0 + TILE, width);
  int y1 = MIN(y0 + TILE, height);

  for (int x = x0; x < x1; x++) {
    guint32 *row = target + (gsize)(flip ? width - 1 - x : x) * height;
    for (int y = y0; y < y1; y++)
      row[mirror ? height - 1 - y : y] = source[(gsize)y * width + x];
  }
}

static void
transpose(const guint32 *source, int width, int height, guint32 *target, gboolean mirror, gboolean flip)
{
  for (int y = 0; y < height; y += TILE)
    for (int x = 0; x < width; x += TILE)
      transpose_tile(source, width, height, x, y, target, mirror, flip);
}

static gboolean
apply_swapped(guint8 **pixels, int *width, int *height, int orientation)
{
  guint8 *turned = g_try_malloc((gsize)*width * *height * 4);
  gboolean mirror = orientation == 6 || orientation == 7;
  gboolean flip = orientation == 7 || orientation == 8;
  int swap = *width;

  if (turned == NULL)
    return FALSE;
  transpose((const guint32 *)*pixels, *width, *height, (guint32 *)turned, mirror, flip);
  g_free(*pixels);
  *pixels = turned;
  *width = *height;
  *height = swap;
  return TRUE;
}

/**
 * ms_orientation_apply:
 * @pixels: (inout): width * height * 4 bytes from g_malloc(); another block on return for orientations 5 to 8
 * @width: (inout): pixels in a row
 * @height: (inout): rows
 * @orientation: the value of the EXIF tag, 1 to 8; any other counts as 1
 *
 * Orientations 2 to 4 are done in place; 5 to 8 need a second block for as long as the call lasts.
 *
 * Returns: FALSE when there is not enough memory; the arguments are then unchanged
 */
gboolean
ms_orientation_apply(guint8 **pixels, int *width, int *height, int orientation)
{
  guint32 *in_place = (guint32 *)*pixels;

  switch (orientation) {
  case 2:
    mirror_rows(in_place, *width, *height);
    return TRUE;
  case 3:
    reverse_pixels(in_place, (gsize)*width * *height);
    return TRUE;
  case 4:
    flip_rows(in_place, *width, *height);
    return TRUE;
  case 5:
  case 6:
  case 7:
  case 8:
    return apply_swapped(pixels, width, height, orientation);
  default:
    return TRUE;
  }
}
