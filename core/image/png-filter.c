/* SPDX-License-Identifier: MIT */
#include "core/image/png-filter.h"

#include <string.h>

/* The loops have no branches, so that the compiler vectorises them; the build compiles this file at -O3. */

/*
 * Filters of the format (specification, section 9), by the number that precedes a row. Average and Paeth would make
 * files up to 4 % smaller, but libpng decodes them at half the speed.
 */
enum {
  FILTER_SUB = 1,
  FILTER_UP = 2,
};

/* @row is preceded by @step zero bytes, which serve as the pixel left of the first. */
static void
filter_sub(const guint8 *restrict row, gsize step, guint8 *restrict out, gsize n)
{
  const guint8 *left = row - step;

  for (gsize i = 0; i < n; i++)
    out[i] = row[i] - left[i];
}

static void
filter_up(const guint8 *restrict row, const guint8 *restrict above, guint8 *restrict out, gsize n)
{
  for (gsize i = 0; i < n; i++)
    out[i] = row[i] - above[i];
}

/* The sum of absolute differences, the heuristic that the specification recommends (12.8). */
static guint64
cost(const guint8 *differences, gsize n)
{
  guint64 sum = 0;

  while (n > 0) {
    /* A piece is short enough for its sum to fit 32 bits. */
    gsize piece = MIN(n, 1 << 16);
    guint32 part = 0;
    for (gsize i = 0; i < piece; i++)
      part += MIN(differences[i], (guint8)-differences[i]);
    sum += part;
    differences += piece;
    n -= piece;
  }
  return sum;
}

static void
filter_row(const MsPngRows *self, const guint8 *row, const guint8 *above, guint8 *out, guint8 *scratch)
{
  gsize n = self->width * self->samples;

  out[0] = FILTER_SUB;
  filter_sub(row, self->samples, out + 1, n);
  filter_up(row, above, scratch, n);
  if (cost(scratch, n) >= cost(out + 1, n))
    return;
  out[0] = FILTER_UP;
  memcpy(out + 1, scratch, n);
}

/** ms_png_rows_stride: bytes of a filtered row: the number of its filter and the samples. */
gsize
ms_png_rows_stride(const MsPngRows *self)
{
  return 1 + self->width * self->samples;
}

static void
copy_row(const MsPngRows *self, const guint8 *in, guint8 *row)
{
  if (self->samples == 4)
    memcpy(row, in, self->width * 4);
  for (gsize x = 0; self->samples == 3 && x < self->width; x++, in += 4, row += 3) {
    row[0] = in[0];
    row[1] = in[1];
    row[2] = in[2];
  }
}

/**
 * ms_png_rows_filter:
 * @out: height * ms_png_rows_stride() bytes
 *
 * A row's filter depends only on the row and the one above it, so that bands of rows can be filtered independently.
 */
void
ms_png_rows_filter(const MsPngRows *self, guint8 *out)
{
  gsize size = self->width * self->samples;
  gsize step = self->samples;
  g_autofree guint8 *scratch = g_malloc(size);
  g_autofree guint8 *a = g_malloc0(step + size);
  g_autofree guint8 *b = g_malloc0(step + size);
  guint8 *row = a + step;
  guint8 *above = b + step;

  if (self->above)
    copy_row(self, self->above, above);
  for (gsize y = 0; y < self->height; y++, out += 1 + size) {
    guint8 *swap = above;
    copy_row(self, self->pixels + y * self->width * 4, row);
    filter_row(self, row, above, out, scratch);
    above = row;
    row = swap;
  }
}
