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

/* Exchanges each pixel with its other: in the row of the same distance from the end, in the column, or in both. */
static void
flip(guint32 *pixels, int width, int height, gboolean flips_rows, gboolean flips_columns, const Report *steps)
{
  for (int y = 0; y < (flips_rows ? (height + 1) / 2 : height); y++) {
    guint32 *a = pixels + (gsize)y * width, *b = flips_rows ? pixels + (gsize)(height - 1 - y) * width : a;
    const int n = a != b ? width : flips_columns ? width / 2 : 0;
    for (int x = 0; x < n; x++) {
      guint32 *other = &b[flips_columns ? width - 1 - x : x], swap = a[x];
      a[x] = *other;
      *other = swap;
    }
    report(steps, 2 * (gsize)width);
  }
}

/*
 * Columns become rows: pixel (x, y) of the source goes to column y, or with @mirror @height - 1 - y, of row x, or with
 * @flip @width - 1 - x.
 */
typedef struct {
  const guint32 *source;
  guint32 *target;
  int width;
  int height;
  gboolean mirror;
  gboolean flip;
} Transposition;

static void
transpose_tile(const Transposition *self, int x0, int y0)
{
  int width = self->width, height = self->height, x1 = MIN(x0 + TILE, width), y1 = MIN(y0 + TILE, height);

  for (int x = x0; x < x1; x++) {
    guint32 *row = self->target + (gsize)(self->flip ? width - 1 - x : x) * height;
    for (int y = y0; y < y1; y++)
      row[self->mirror ? height - 1 - y : y] = self->source[(gsize)y * width + x];
  }
}

/* A row of a tile touches a page of the target, which counts as a whole. */
static void
transpose(const Transposition *self, const Report *steps)
{
  for (int y = 0; y < self->height; y += TILE)
    for (int x = 0; x < self->width; x += TILE) {
      transpose_tile(self, x, y);
      report(steps, TILE * PAGE_PIXELS);
    }
}

/**
 * ms_orientation_turn:
 * @target: for orientations 5 to 8, another block of as many bytes; the others are done in place
 * @step: (nullable): called after each part
 */
void
ms_orientation_turn(const MsStoredPixels *stored, guint8 *target, MsOrientationStep step, gpointer data)
{
  guint32 *source = (guint32 *)stored->pixels;
  const int width = stored->width, height = stored->height, orientation = stored->orientation;
  const Report steps = {step, data};

  if (ms_orientation_swaps_sides(orientation))
    transpose(&(Transposition){.source = source,
                               .target = (guint32 *)target,
                               .width = width,
                               .height = height,
                               .mirror = orientation == 6 || orientation == 7,
                               .flip = orientation == 7 || orientation == 8},
              &steps);
  else if (orientation >= 2 && orientation <= 4)
    flip(source, width, height, orientation >= 3, orientation <= 3, &steps);
}
