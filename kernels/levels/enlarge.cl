/* SPDX-License-Identifier: MIT */
/*
 * From the result of a coarser level to the next: enlarge_level enlarges the result, mark_edges marks the edges of the
 * coarser level, and mark_level marks the pixels of the finer level near them, which are filtered again. fine,
 * coarse: (width, height, first row that the buffers hold, rows that they hold); region: the rectangle of the finer
 * level that the result holds.
 */

/*
 * A pixel of a row of the coarser level, twice as wide, times 8; the first is reflected, the last repeated, for rows as
 * for columns: see ms_pyramid_enlarge().
 */
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

/* The three rows of the coarser level that a row of the finer one is computed from. */
typedef struct {
  __global const uchar4 *last;
  __global const uchar4 *own;
  __global const uchar4 *next;
} rows_t;

static inline rows_t
rows_around(__global const uchar4 *coarser, const int y, const int4 coarse)
{
  const int at = y / 2, after = min(at + 1, coarse.y - 1), before = at > 0 ? at - 1 : min(1, coarse.y - 1);
  const rows_t rows = {row_of(coarser, before, coarse), row_of(coarser, at, coarse), row_of(coarser, after, coarse)};

  return rows;
}

static inline uchar4
enlarge_pixel(const rows_t rows, const uchar alpha, const int x, const int y, const int4 coarse)
{
  const int4 own = widen_row(rows.own, x, coarse.x), next = widen_row(rows.next, x, coarse.x);
  const int4 last = widen_row(rows.last, x, coarse.x);
  const int4 mean = ((y % 2 ? (own + next) * 4 : last + own * 6 + next) + 32) >> 6;

  return (uchar4)((uchar)mean.x, (uchar)mean.y, (uchar)mean.z, alpha);
}

static inline ushort16
load_four(__global const uchar4 *row, const int x)
{
  return convert_ushort16(vload16(0, (__global const uchar *)(row + x)));
}

/* Four pixels from the even column `x` on, from four coarser ones within the image; their fourth bytes are 0. */
static inline uchar16
enlarge_four(const rows_t rows, const int x, const int y)
{
  const int first = x / 2 - 1;
  const ushort16 own = load_four(rows.own, first), next = load_four(rows.next, first);
  const ushort16 v = y % 2 ? (own + next) * (ushort)4 : load_four(rows.last, first) + own * (ushort)6 + next;
  const ushort16 sum = (ushort16)(v.s0123, (ushort4)(0), v.s4567, (ushort4)(0)) +
                       (ushort16)(v.s4567 * (ushort)6, v.s4567 * (ushort)4, v.s89ab * (ushort)6, v.s89ab * (ushort)4) +
                       (ushort16)(v.s89ab, v.s89ab * (ushort)4, v.scdef, v.scdef * (ushort)4);

  return convert_uchar16((sum + (ushort)32) >> (ushort)6) & as_uchar16((uint4)(0x00ffffff));
}

/* A work-item computes four pixels of a row; the fourth bytes are those of the source. */
__kernel void
enlarge_level(__global const uchar4 *coarser, __global const uchar4 *source, __global uchar4 *result, const int4 fine,
              const int4 coarse, const int4 region)
{
  const int x = region.x + 4 * (int)get_global_id(0), y = region.y + (int)get_global_id(1);
  const int end = min(x + 4, region.x + region.z);

  if (x >= region.x + region.z || y >= region.y + region.w)
    return;

  const rows_t rows = rows_around(coarser, y, coarse);
  __global const uchar4 *from = row_of(source, y, fine);
  __global uchar4 *to = result + (size_t)(y - region.y) * (size_t)region.z;

  if (x % 2 == 0 && x >= 2 && x / 2 + 2 < coarse.x && x + 4 == end) {
    const uchar16 alpha = vload16(0, (__global const uchar *)(from + x)) & as_uchar16((uint4)(0xff000000u));

    vstore16(enlarge_four(rows, x, y) | alpha, 0, (__global uchar *)(to + (x - region.x)));
    return;
  }
  for (int i = x; i < end; i++)
    to[i - region.x] = enlarge_pixel(rows, from[i].w, i, y, coarse);
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
differ(const uchar4 a, const uchar4 b, const int edge)
{
  const int4 d = convert_int4(a) - convert_int4(b);

  return d.x * d.x + d.y * d.y + d.z * d.z >= edge;
}

static inline uchar
mark_edge(__global const uchar4 *own, const int width, const int edge)
{
  bool any = false;

  for (int j = -1; j <= 1; j++)
    for (int i = -1; i <= 1; i++)
      any |= differ(*own, own[j * width + i], edge);
  return any ? 1 : 0;
}

/* Four pixels from `own` on. */
static inline short16
load_signed(__global const uchar4 *own)
{
  return convert_short16(vload16(0, (__global const uchar *)own));
}

static inline uchar4
mark_four_edges(__global const uchar4 *own, const int width, const int edge)
{
  const short16 c = load_signed(own);
  int4 any = 0;

  for (int j = -1; j <= 1; j++)
    for (int i = -1; i <= 1; i++) {
      const int16 d = convert_int16(c - load_signed(own + j * width + i)), squares = d * d;

      any |= squares.s048c + squares.s159d + squares.s26ae >= edge;
    }
  return convert_uchar4(any & 1);
}

/*
 * A byte for each coarser pixel: 1 where it is not on the border of the rows that are held and differs from a neighbour
 * by `edge`, else 0. A work-item computes four pixels of a row.
 */
__kernel void
mark_edges(__global const uchar4 *coarser, __global uchar *edges, const int4 coarse, const int edge)
{
  const int x = 4 * (int)get_global_id(0), row = (int)get_global_id(1);
  const size_t start = (size_t)row * (size_t)coarse.x;
  const bool is_inside = row > 0 && row < coarse.w - 1;

  if (x >= coarse.x || row >= coarse.w)
    return;
  if (is_inside && x > 0 && x + 4 < coarse.x) {
    vstore4(mark_four_edges(coarser + start + x, coarse.x, edge), 0, edges + start + x);
    return;
  }
  for (int i = x; i < min(x + 4, coarse.x); i++)
    edges[start + i] = is_inside && i > 0 && i < coarse.x - 1 ? mark_edge(coarser + start + i, coarse.x, edge) : 0;
}

/* An edge at (x, y) marks the 3x3 pixels around (2x - 1, 2y + 1). A work-item computes eight pixels of a row. */
__kernel void
mark_level(__global const uchar *edges, __global uchar *mask, const int4 fine, const int4 coarse)
{
  const int x = 8 * (int)get_global_id(0), row = (int)get_global_id(1), y = fine.z + row;
  __global uchar *to = mask + (size_t)row * (size_t)fine.x;

  if (x >= fine.x || row >= fine.w)
    return;

  /* The rows of the edges whose 3x3 pixels include this one. */
  const int top = max((y - 1) / 2, 0), bottom = y / 2;
  __global const uchar *first = edges + (size_t)(top - coarse.z) * (size_t)coarse.x;
  __global const uchar *last = edges + (size_t)(bottom - coarse.z) * (size_t)coarse.x;

  if (x + 8 <= fine.x && x / 2 + 8 <= coarse.x) {
    const uchar8 any = vload8(0, first + x / 2) | vload8(0, last + x / 2);

    vstore8(any.s01122334 | any.s11223344, 0, to + x);
    return;
  }
  for (int i = x; i < min(x + 8, fine.x); i++) {
    const int left = (i + 1) / 2, right = min(i / 2 + 1, coarse.x - 1);
    uchar any = 0;

    for (int at = left; at <= right; at++)
      any |= first[at] | last[at];
    to[i] = any;
  }
}
