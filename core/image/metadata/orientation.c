/* SPDX-License-Identifier: MIT */
#include "core/image/metadata/orientation.h"

/* Side of the square tiles in which an image is transposed: two of them (8 KiB) fit the first-level cache. */
#define TILE 32

#define PAGE_PIXELS 1024

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

typedef struct {
  MsOrientationStep step;
  gpointer data;
} Report;

static void
report(const Report *self, gsize pixels)
{
  if (self->step)
    self->step(pixels * sizeof(guint32), self->data);
}

static void
mirror_rows(guint32 *pixels, int width, int height, const Report *steps)
{
  for (int y = 0; y < height; y++) {
    reverse_pixels(pixels + (gsize)y * width, width);
    report(steps, width);
  }
}

/* Exchanges the rows at both ends, whose pixels are also reversed for half a turn. */
static void
flip_rows(guint32 *pixels, int width, int height, gboolean reverse, const Report *steps)
{
  for (int y = 0; y < height / 2; y++) {
    guint32 *a = pixels + (gsize)y * width;
    guint32 *b = pixels + (gsize)(height - 1 - y) * width;
    for (int x = 0; x < width; x++) {
      guint32 *other = &b[reverse ? width - 1 - x : x], swap = a[x];
      a[x] = *other;
      *other = swap;
    }
    report(steps, 2 * (gsize)width);
  }
  if (reverse && height % 2 != 0)
    reverse_pixels(pixels + (gsize)(height / 2) * width, width);
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

/* A row of a tile touches a page of the target, which counts as a whole. */
static void
transpose(const guint32 *source, int width, int height, guint32 *target, gboolean mirror, gboolean flip,
          const Report *steps)
{
  for (int y = 0; y < height; y += TILE)
    for (int x = 0; x < width; x += TILE) {
      transpose_tile(source, width, height, x, y, target, mirror, flip);
      report(steps, TILE * PAGE_PIXELS);
    }
}

/**
 * ms_orientation_turn:
 * @pixels: width * height * 4 bytes
 * @orientation: the value of the EXIF tag, 1 to 8; any other counts as 1
 * @target: for orientations 5 to 8, another block of that size; the others are done in place
 * @step: (nullable): called after each part
 */
void
ms_orientation_turn(guint8 *pixels, int width, int height, int orientation, guint8 *target, MsOrientationStep step,
                    gpointer data)
{
  guint32 *source = (guint32 *)pixels;
  const Report steps = {step, data};
  gboolean mirror = orientation == 6 || orientation == 7;
  gboolean flip = orientation == 7 || orientation == 8;

  if (ms_orientation_swaps_sides(orientation))
    transpose(source, width, height, (guint32 *)target, mirror, flip, &steps);
  else if (orientation == 2)
    mirror_rows(source, width, height, &steps);
  else if (orientation == 3 || orientation == 4)
    flip_rows(source, width, height, orientation == 3, &steps);
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
  gboolean swaps = ms_orientation_swaps_sides(orientation);
  guint8 *target = swaps ? g_try_malloc((gsize)*width * *height * 4) : *pixels;
  int old_width = *width;

  if (target == NULL)
    return FALSE;
  ms_orientation_turn(*pixels, *width, *height, orientation, target, NULL, NULL);
  if (!swaps)
    return TRUE;
  g_free(*pixels);
  *pixels = target;
  *width = *height;
  *height = old_width;
  return TRUE;
}
