/* SPDX-License-Identifier: MIT */
#include "core/filter/pyramid/pyramid.h"

#include <string.h>

/** ms_bands_next: at most @step rows of @whole, beginning after the first @done. */
MsRows
ms_bands_next(MsRows whole, int done, int step)
{
  return (MsRows){whole.first + done, MIN(step, whole.count - done)};
}

/** ms_bands_with_halo: @rows extended by @halo rows on both sides and clipped to the image. */
MsRows
ms_bands_with_halo(MsRows rows, int halo, int height)
{
  int first = MAX(0, rows.first - halo);
  int end = MIN((gint64)height, (gint64)rows.first + rows.count + halo);

  return (MsRows){first, end - first};
}

/* Rows on each side that halving reads beyond twice the rows that it makes. */
#define FINER_HALO 4

/** ms_bands_finer: the rows of the level below, of @height rows, from which @rows are halved. */
MsRows
ms_bands_finer(MsRows rows, int height)
{
  return ms_bands_with_halo((MsRows){2 * rows.first, 2 * rows.count}, FINER_HALO, height);
}

/* Rows of the level above beyond half those of the level: its edges, and the neighbours that make them edges. */
#define COARSER_HALO 3

/** ms_bands_coarser: the rows of the level above, of @height rows, from which @rows are enlarged and marked. */
MsRows
ms_bands_coarser(MsRows rows, int height)
{
  const int first = rows.first / 2, end = (rows.first + rows.count + 1) / 2;

  return ms_bands_with_halo((MsRows){first, end - first}, COARSER_HALO, height);
}

/** ms_bands_coarser_most: the most rows that ms_bands_coarser() gives for @count rows. */
int
ms_bands_coarser_most(int count, int height)
{
  return MIN(height, count / 2 + 2 + 2 * COARSER_HALO);
}

/* The smallest squared colour difference that is an edge, however small the colour radius. */
#define LEAST_EDGE 16

/** ms_pyramid_size: the size of @level of a pyramid over @width x @height pixels; halves are rounded up. */
MsPyramidSize
ms_pyramid_size(int width, int height, int level)
{
  for (int i = 0; i < level; i++) {
    width = width / 2 + width % 2;
    height = height / 2 + height % 2;
  }
  return (MsPyramidSize){width, height};
}

/** ms_pyramid_edge: the squared colour difference between neighbours from which on both sides are filtered again. */
int
ms_pyramid_edge(const MsParams *params)
{
  return MAX(ms_params_numbers(params).isr2, LEAST_EDGE);
}

/* @at within 0 to @extent - 1, reflected about the first and last, which are not repeated. */
static int
reflect(int at, int extent)
{
  if (extent == 1)
    return 0;
  while (at < 0 || at >= extent)
    at = at < 0 ? -at : 2 * extent - 2 - at;
  return at;
}

static guint8
halved_value(const guint8 *const rows[5], int width, int x, int channel)
{
  static const int weights[5] = {1, 4, 6, 4, 1};
  int sum = 0;

  for (int i = 0; i < 5; i++) {
    const gsize at = (gsize)reflect(2 * x + i - 2, width) * 4 + channel;
    for (int j = 0; j < 5; j++)
      sum += weights[j] * weights[i] * rows[j][at];
  }
  return (guint8)((sum + 128) >> 8);
}

/**
 * ms_pyramid_halve:
 * @fine: the rows @held, at least those of ms_bands_finer()
 * @size: of the level of @fine
 * @rows: of the next level, which are made
 * @coarse: (out): their pixels, with a fourth byte of 0
 *
 * Every second pixel after the 5x5 binomial filter, rounded half up, reflected at the borders: cv::pyrDown().
 */
void
ms_pyramid_halve(const guint8 *fine, MsRows held, MsPyramidSize size, MsRows rows, guint8 *coarse)
{
  const MsPyramidSize next = ms_pyramid_size(size.width, size.height, 1);

  for (int y = rows.first; y < rows.first + rows.count; y++) {
    const guint8 *from[5];
    for (int j = 0; j < 5; j++)
      from[j] = fine + (gsize)(reflect(2 * y + j - 2, size.height) - held.first) * size.width * 4;
    for (int x = 0; x < next.width; x++, coarse += 4) {
      for (int k = 0; k < 3; k++)
        coarse[k] = halved_value(from, size.width, x, k);
      coarse[3] = 0;
    }
  }
}

/* The coordinate beside @at, reflected at the start and repeated at the end. */
static int
before(int at, int extent)
{
  return at > 0 ? at - 1 : MIN(1, extent - 1);
}

static int
after(int at, int extent)
{
  return MIN(at + 1, extent - 1);
}

/* The weights of three neighbours for even and for odd places of the finer level; each three add up to 8. */
static const int enlarge_weights[2][3] = {{1, 6, 1}, {0, 4, 4}};

static guint8
enlarged_value(const guint8 *coarse, MsPyramidSize size, int x, int y, int channel)
{
  const MsPyramidSize from = ms_pyramid_size(size.width, size.height, 1);
  const int columns[3] = {before(x / 2, from.width), x / 2, after(x / 2, from.width)};
  const int rows[3] = {before(y / 2, from.height), y / 2, after(y / 2, from.height)};
  int sum = 0;

  for (int j = 0; j < 3; j++)
    for (int i = 0; i < 3; i++)
      sum += enlarge_weights[y % 2][j] * enlarge_weights[x % 2][i] *
             coarse[((gsize)rows[j] * from.width + columns[i]) * 4 + channel];
  return (guint8)((sum + 32) >> 6);
}

/**
 * ms_pyramid_enlarge:
 * @original: @rows of the finer level, whose fourth byte is copied to @fine
 * @size: of the finer level
 * @fine: (out): @rows of the enlarged picture
 *
 * Twice the size by the 5x5 binomial filter, rounded half up, reflected at the first row and column; the last ones of
 * @coarse are repeated. An odd number of rows or columns gives the pixels of one more without the last. So does
 * cv::pyrUp() since OpenCV 4.7 (pyrUp_() in modules/imgproc/src/pyramids.cpp). Earlier versions gave the last of an odd
 * number of rows the weights of an odd row, where it fills vectors of four values.
 */
void
ms_pyramid_enlarge(const guint8 *coarse, const guint8 *original, MsPyramidSize size, MsRows rows, guint8 *fine)
{
  for (int y = rows.first; y < rows.first + rows.count; y++)
    for (int x = 0; x < size.width; x++, fine += 4, original += 4) {
      for (int k = 0; k < 3; k++)
        fine[k] = enlarged_value(coarse, size, x, y, k);
      fine[3] = original[3];
    }
}

/**
 * ms_pyramid_place_modes:
 * @coarse: column and row of each mode of the coarser level
 * @size: of the finer level
 * @fine: (out): for each pixel twice the mode of the coarser pixel in which it lies, within the picture
 */
void
ms_pyramid_place_modes(const guint16 *coarse, MsPyramidSize size, guint16 *fine)
{
  const MsPyramidSize from = ms_pyramid_size(size.width, size.height, 1);

  for (int y = 0; y < size.height; y++)
    for (int x = 0; x < size.width; x++, fine += 2) {
      const guint16 *mode = coarse + ((gsize)(y / 2) * from.width + x / 2) * 2;
      fine[0] = (guint16)MIN(2 * mode[0], size.width - 1);
      fine[1] = (guint16)MIN(2 * mode[1], size.height - 1);
    }
}

static gboolean
differ(const guint8 *a, const guint8 *b, int edge)
{
  int d0 = a[0] - b[0], d1 = a[1] - b[1], d2 = a[2] - b[2];

  return d0 * d0 + d1 * d1 + d2 * d2 >= edge;
}

static gboolean
is_at_edge(const guint8 *coarse, int width, int x, int y, int edge)
{
  const guint8 *own = coarse + ((gsize)y * width + x) * 4;

  for (int j = -1; j <= 1; j++)
    for (int i = -1; i <= 1; i++)
      if (differ(own, own + ((gssize)j * width + i) * 4, edge))
        return TRUE;
  return FALSE;
}

/**
 * ms_pyramid_mark:
 * @coarse: the filtered coarser level
 * @size: of the finer level
 * @edge: from ms_pyramid_edge()
 * @mask: (out): a byte for each pixel of @rows of the finer level: 1 where it is filtered again, else 0
 *
 * A pixel (x, y) of the coarser level that is not on its border and differs from a neighbour by an edge marks the 3x3
 * pixels around (2x - 1, 2y + 1) of the finer level, as cv::pyrMeanShiftFiltering() does.
 */
void
ms_pyramid_mark(const guint8 *coarse, MsPyramidSize size, MsRows rows, int edge, guint8 *mask)
{
  const MsPyramidSize from = ms_pyramid_size(size.width, size.height, 1);
  const int end = rows.first + rows.count;

  memset(mask, 0, (gsize)size.width * rows.count);
  for (int y = MAX(1, (rows.first - 1) / 2); y < from.height - 1 && 2 * y < end; y++)
    for (int x = 1; x < from.width - 1; x++)
      if (is_at_edge(coarse, from.width, x, y, edge))
        for (int j = MAX(2 * y, rows.first); j <= MIN(2 * y + 2, end - 1); j++)
          memset(mask + (gsize)(j - rows.first) * size.width + 2 * x - 2, 1, 3);
}
