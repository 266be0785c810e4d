/* SPDX-License-Identifier: MIT */
#include "core/image/png-filter.h"

#include <string.h>

/* The loops have no branches, so that the compiler vectorises them; the build compiles this file at -O3. */

/* The filters of the format (specification, section 9), by the number that precedes a row. */
enum {
  FILTER_NONE,
  FILTER_SUB,
  FILTER_UP,
  FILTER_AVERAGE,
  FILTER_PAETH,
};

/* ---- Filtering. Average and Paeth would make files up to 4 % smaller, but libpng decodes them at half the speed. */

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
copy_row(const MsPngRows *self, gsize y, guint8 *row)
{
  const guint8 *in = self->pixels + y * self->width * 4;

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
 * @first: the first row
 * @n: how many rows
 * @out: n * ms_png_rows_stride() bytes
 *
 * A row's filter depends only on the row and the one above it, so that bands of rows can be filtered independently.
 */
void
ms_png_rows_filter(const MsPngRows *self, gsize first, gsize n, guint8 *out)
{
  gsize size = self->width * self->samples;
  gsize step = self->samples;
  g_autofree guint8 *scratch = g_malloc(size);
  g_autofree guint8 *a = g_malloc0(step + size);
  g_autofree guint8 *b = g_malloc0(step + size);
  guint8 *row = a + step;
  guint8 *above = b + step;

  if (first > 0)
    copy_row(self, first - 1, above);
  for (gsize y = first; y < first + n; y++, out += 1 + size) {
    guint8 *swap = above;
    copy_row(self, y, row);
    filter_row(self, row, above, out, scratch);
    above = row;
    row = swap;
  }
}

/* ---- Undoing filters. */

/* The samples of a pixel, wide enough for the sums of the filters, in one vector register. */
typedef guint8 Bytes __attribute__((vector_size(4)));
typedef gint16 Samples __attribute__((vector_size(8)));

/* Always reads four bytes; store() writes only the bytes of the pixel. */
static inline Samples
load(const guint8 *pixel)
{
  Bytes bytes;

  memcpy(&bytes, pixel, sizeof bytes);
  return __builtin_convertvector(bytes, Samples);
}

static inline void
store(guint8 *pixel, Samples samples, guint n)
{
  Bytes bytes = __builtin_convertvector(samples, Bytes);

  memcpy(pixel, &bytes, n);
}

static inline Samples
choose(Samples mask, Samples yes, Samples no)
{
  return (mask & yes) | (~mask & no);
}

static inline Samples
magnitude(Samples x)
{
  Samples negative = x < 0;

  return (x ^ negative) - negative;
}

/* The neighbour nearest to left + up - corner: left before up before corner. */
static inline Samples
paeth(Samples left, Samples up, Samples corner)
{
  Samples to_left = magnitude(up - corner);
  Samples to_up = magnitude(left - corner);
  Samples to_corner = magnitude(left + up - corner - corner);

  return choose((to_left <= to_up) & (to_left <= to_corner), left, choose(to_up <= to_corner, up, corner));
}

static inline __attribute__((always_inline)) void
undo_sub(guint8 *row, guint samples, gsize width)
{
  Samples left = {0};

  for (gsize x = 0; x < width; x++, row += samples) {
    left = (load(row) + left) & 255;
    store(row, left, samples);
  }
}

static inline __attribute__((always_inline)) void
undo_average(guint8 *row, const guint8 *above, guint samples, gsize width)
{
  Samples left = {0};

  for (gsize x = 0; x < width; x++, row += samples, above += samples) {
    left = (load(row) + ((left + load(above)) >> 1)) & 255;
    store(row, left, samples);
  }
}

static inline __attribute__((always_inline)) void
undo_paeth(guint8 *row, const guint8 *above, guint samples, gsize width)
{
  Samples left = {0};
  Samples corner = {0};

  for (gsize x = 0; x < width; x++, row += samples, above += samples) {
    Samples up = load(above);
    left = (load(row) + paeth(left, up, corner)) & 255;
    store(row, left, samples);
    corner = up;
  }
}

static void
undo_up(guint8 *restrict row, const guint8 *restrict above, gsize n)
{
  for (gsize i = 0; i < n; i++)
    row[i] += above[i];
}

/* Inlined once for each number of samples, which is a constant there. */
static inline __attribute__((always_inline)) void
undo(guint8 filter, guint8 *row, const guint8 *above, guint samples, gsize width)
{
  if (filter == FILTER_SUB)
    undo_sub(row, samples, width);
  if (filter == FILTER_UP)
    undo_up(row, above, width * samples);
  if (filter == FILTER_AVERAGE)
    undo_average(row, above, samples, width);
  if (filter == FILTER_PAETH)
    undo_paeth(row, above, samples, width);
}

/**
 * ms_png_unfilter_row:
 * @row: the number of its filter, 0 to 4, and @width times @samples bytes; %MS_PNG_UNFILTER_SLACK more can be read
 * @above: the samples of the row above, unfiltered, with the same slack; zeros for the first row
 * @samples: bytes of a pixel, 1 to 4
 * @width: pixels
 *
 * Unfilters the samples in place.
 */
void
ms_png_unfilter_row(guint8 *row, const guint8 *above, guint samples, gsize width)
{
  if (samples == 1)
    undo(row[0], row + 1, above, 1, width);
  if (samples == 2)
    undo(row[0], row + 1, above, 2, width);
  if (samples == 3)
    undo(row[0], row + 1, above, 3, width);
  if (samples == 4)
    undo(row[0], row + 1, above, 4, width);
}

/**
 * ms_png_expand_row:
 * @row: samples of a row: grey, grey and alpha, RGB or RGBA
 * @samples: bytes of a pixel, 1 to 4
 * @width: pixels
 * @out: (out): 4 * @width bytes of RGBA
 */
void
ms_png_expand_row(const guint8 *row, guint samples, gsize width, guint8 *out)
{
  guint green = samples >= 3 ? 1 : 0;
  guint blue = samples >= 3 ? 2 : 0;
  gboolean has_alpha = samples % 2 == 0;

  if (samples == 4) {
    memcpy(out, row, width * 4);
    return;
  }
  for (gsize x = 0; x < width; x++, row += samples, out += 4) {
    out[0] = row[0];
    out[1] = row[green];
    out[2] = row[blue];
    out[3] = has_alpha ? row[1] : 255;
  }
}
