/* SPDX-License-Identifier: MIT */
#include "core/image/png/png-unfilter.h"

#include <string.h>

/* The filters of the format (specification, section 9), by the number that precedes a row. */
enum {
  FILTER_NONE,
  FILTER_SUB,
  FILTER_UP,
  FILTER_AVERAGE,
  FILTER_PAETH,
};

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
