/* SPDX-License-Identifier: MIT */
/*
 * From the result of a coarser level to the next: enlarge_level enlarges the result, mark_edges marks the edges of the
 * coarser level, and mark_level marks the pixels of the finer level near them, which are filtered again. fine,
 * coarse: (width, height, first row that the buffers hold, rows that they hold); region: the rectangle of the finer
 * level that the result holds.
 */

/* A pixel of a row of the coarser level, twice as wide, times 8; the first is reflected, the last repeated. */
static inline int4
widen_row(__global const uchar4 *row, const int x, const int width)
{
  const int at = x / 2, after = min(at + 1, width - 1), before = at > 0 ? at - 1 : min(1, width - 1);
  const int4 own = convert_int4(row[at]), next = convert_int4(row[after]);

  return x % 2 ? (own + next) * 4 : convert_int4(row[before]) + own * 6 + next;
}

static inline __global const uchar4 *
row_of(__global const uchar4 *pixels, const int y, const int4 level)
{
  return pixels + (size_t)(y - level.z) * (size_t)level.x;
}

__kernel void
enlarge_level(__global const uchar4 *coarser, __global const uchar4 *source, __global uchar4 *result, const int4 fine,
              const int4 coarse, const int4 region)
{
  const int x = region.x + (int)get_global_id(0), y = region.y + (int)get_global_id(1);

  if (x >= region.x + region.z || y >= region.y + region.w)
    return;

  const int at = y / 2, after = min(at + 1, coarse.y - 1), before = at > 0 ? at - 1 : min(1, coarse.y - 1);
  const int4 own = widen_row(row_of(coarser, at, coarse), x, coarse.x);
  const int4 next = widen_row(row_of(coarser, after, coarse), x, coarse.x);
  const int4 last = widen_row(row_of(coarser, before, coarse), x, coarse.x);
  int4 sum = y % 2 ? (own + next) * 4 : last + own * 6 + next;

  /*
   * OpenCV's function treats the last row of an odd number of rows like an odd row, except for the values at its end
   * that do not fill a vector of four; its channels are blue, green, red.
   */
  if (y % 2 == 0 && y == fine.y - 1)
    sum = select(sum, own * 8, 3 * x + (int4)(2, 1, 0, 3) < 3 * fine.x / 4 * 4);
  sum = (sum + 32) >> 6;
  result[(size_t)(y - region.y) * (size_t)region.z + (size_t)(x - region.x)] =
    (uchar4)((uchar)sum.x, (uchar)sum.y, (uchar)sum.z, row_of(source, y, fine)[x].w);
}

/* A pixel that is not filtered again has the mode of the coarser pixel in which it lies, at twice its place. */
__kernel void
place_modes(__global const ushort2 *coarser, __global ushort2 *modes, const int4 fine, const int4 coarse,
            const int4 region)
{
  const int x = region.x + (int)get_global_id(0), y = region.y + (int)get_global_id(1);

  if (x >= region.x + region.z || y >= region.y + region.w)
    return;

  const int2 mode = convert_int2(coarser[(size_t)(y / 2 - coarse.z) * (size_t)coarse.x + (size_t)(x / 2)]);
  modes[(size_t)(y - region.y) * (size_t)region.z + (size_t)(x - region.x)] =
    convert_ushort2(min(mode * 2, fine.xy - 1));
}

static inline bool
differ(const short4 a, const short4 b, const int edge)
{
  const int4 d = convert_int4(a - b);

  return d.x * d.x + d.y * d.y + d.z * d.z >= edge;
}

/*
 * A byte for each coarser pixel: 1 where it is not on the border of the rows that are held and differs from a neighbour
 * by `edge`, else 0.
 */
__kernel void
mark_edges(__global const uchar4 *coarser, __global uchar *edges, const int4 coarse, const int edge)
{
  const int x = (int)get_global_id(0), row = (int)get_global_id(1);
  bool any = false;

  if (x >= coarse.x || row >= coarse.w)
    return;
  if (x > 0 && row > 0 && x < coarse.x - 1 && row < coarse.w - 1) {
    __global const uchar4 *own = coarser + ((size_t)row * (size_t)coarse.x + (size_t)x);
    const short4 c = convert_short4(*own);

    for (int j = -1; j <= 1; j++)
      for (int i = -1; i <= 1; i++)
        any |= differ(c, convert_short4(own[j * coarse.x + i]), edge);
  }
  edges[(size_t)row * (size_t)coarse.x + (size_t)x] = any ? 1 : 0;
}

/* An edge at (x, y) marks the 3x3 pixels around (2x - 1, 2y + 1). */
__kernel void
mark_level(__global const uchar *edges, __global uchar *mask, const int4 fine, const int4 coarse)
{
  const int x = (int)get_global_id(0), row = (int)get_global_id(1), y = fine.z + row;

  if (x >= fine.x || row >= fine.w)
    return;

  /* The edges whose 3x3 pixels include this one. */
  const int left = (x + 1) / 2, right = min(x / 2 + 1, coarse.x - 1);
  const int top = max((y - 1) / 2, 0), bottom = y / 2;
  uchar any = 0;

  for (int j = top; j <= bottom; j++)
    for (int i = left; i <= right; i++)
      any |= edges[(size_t)(j - coarse.z) * (size_t)coarse.x + (size_t)i];
  mask[(size_t)row * (size_t)fine.x + (size_t)x] = any;
}
