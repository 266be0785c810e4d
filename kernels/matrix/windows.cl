/* SPDX-License-Identifier: MIT */
/*
 * The sums of sixteen windows at once. For a centre c and a sample t the matrix product of the rows
 *   (-128 c0, -128 c1), (-128 c2, rest), (64, 32768), (0, 0)
 *   (t0, t1),           (t2, 1),         (low, high), any        of the record, n / 2^24 each but for the 1
 * plus a start value is (|t - c|^2 - isr2 - 1/2) / 2^18: negative for the samples within the colour radius, and no
 * rounding changes a sign. Eight more columns mark the row of the centre within a band of eight; their factors mark,
 * for each row of samples, which of the eight windows exclude it. The start value does the same for columns.
 */
#define BAND 8u                              /* rows of centres that one pass distinguishes */
#define REACH 64u                            /* columns over which the centres of one pass may spread */
#define BAND_STEPS ((2 * SP + 8 + 3) / 4)    /* four rows by four, from the first row of a band's first window */
#define FAR 0x44004400u                      /* 4, 4: beyond every limit */
#define EIGHTS 0x48004800u                   /* 8, 8 */
#define FIRST_COLUMNS 0x64026400u            /* 1024, 1026 */
#define NEXT_COLUMN 0x00010001u              /* one more in both halves, from 1024 on */

/*
 * Values that a lane keeps for the whole run. Lane 4 r + p handles part p of the records of sample r, and plane r: red,
 * green and blue from memory; one, x and y counted from the pass's first column and row.
 */
typedef struct {
  __global const uint *records;
  __local const uint *bands;
  __local uint *scratch;
  uint strip_words;
  uint row;
  uint part;
  uint record_offset;
  uint plane_offset;
  uint counted;
  uint counted_across;
  uint counted_down;
} lane_t;

/* Sixteen centres, of which numbers row and row + 8 are this lane's. */
typedef struct {
  uint4 factors;
  uint2 start;
  uint2 column;
} centres_t;

/* Which rows of samples lie outside the windows of the eight rows of a band: row 4 s + 2 b + a of them and centre rows
 * 2 q and 2 q + 1 stand in word 16 s + 8 a + 2 q + b. */
static inline void
mark_bands(__local uint *bands)
{
  for (int i = (int)lane_id(); i < BAND_STEPS * 16; i += 32) {
    const int row = (i >> 4) * 4 + (i & 1) * 2 + (i >> 3 & 1), centre = (i >> 1 & 3) * 2;
    const uint even = row < centre || row > centre + 2 * SP ? FAR & 0xffffu : 0u;
    const uint odd = row < centre + 1 || row > centre + 1 + 2 * SP ? FAR & 0xffff0000u : 0u;

    bands[i] = even | odd;
  }
}

/* `step` counts fours of rows from the band's first. */
static inline int4
sum_step(const lane_t *self, const centres_t *centres, const uint2 even, const uint2 odd, const bool edge,
         const uint step, __global const uint *record, __global const uint *plane, const uint first_counted,
         const int4 sums)
{
  __global const uint *down = record + step * (4 * LINE), *plane_down = plane + step * (4 * LINE);
  const uint2 above = *(__global const uint2 *)down, below = *(__global const uint2 *)(down + 2 * LINE);
  const uint2 band = edge ? *(__local const uint2 *)(self->bands + step * 16) : (uint2)(0u, 0u);
  const uint counted = first_counted + 2 * step * self->counted_down;
  uint2 planes = (uint2)(counted, counted + self->counted_down);

  if (self->row < 3)
    planes = (uint2)(plane_down[0], plane_down[2 * LINE]);
  return matrix_step(self->scratch, centres->factors, even, odd, above, below, band, edge, planes, sums);
}

/*
 * `quads` fours of columns from `left` in the records, rows from `top`; the centres spread over `spread` + 1 rows. Rows
 * come by four: those that some windows exclude, those that all include (where the distinction pays), and the rest.
 */
static inline int4
sum_windows(const lane_t *self, const centres_t *centres, const uint left, const uint quads, const uint top,
            const uint spread, int4 sums)
{
  const uint lead = max((spread + 3) / 4, 1u), steps = (spread + SIDE + 3) / 4;
  const uint inner = max((uint)(SIDE / 4), lead);
  const uint record_quad = self->row >> 1 & 1u, plane_quad = self->part & 1u;
  uint columns = FIRST_COLUMNS + 4 * plane_quad * NEXT_COLUMN;
  uint counted = self->counted;

  for (uint quad = left / 4; quad < left / 4 + quads; quad += 2) {
    const uint r = quad + record_quad, p = quad + plane_quad;
    __global const uint *record = self->records + (r / STRIP_QUADS * self->strip_words + top * LINE +
                                                   r % STRIP_QUADS * RECORD + self->record_offset);
    __global const uint *plane = self->records + (p / STRIP_QUADS * self->strip_words + top * LINE +
                                                  p % STRIP_QUADS * RECORD + self->plane_offset);
    const uint2 even = {half2_add(half2_beyond(columns, centres->column.x, EIGHTS, REACH_BIAS), centres->start.x),
                        half2_add(half2_beyond(columns, centres->column.y, EIGHTS, REACH_BIAS), centres->start.y)};
    const uint next = columns + NEXT_COLUMN;
    const uint2 odd = {half2_add(half2_beyond(next, centres->column.x, EIGHTS, REACH_BIAS), centres->start.x),
                       half2_add(half2_beyond(next, centres->column.y, EIGHTS, REACH_BIAS), centres->start.y)};
    uint step = 0;

    if (SPLIT_ROWS) {
      for (; step < lead; step++)
        sums = sum_step(self, centres, even, odd, true, step, record, plane, counted, sums);
      for (; step < inner; step++)
        sums = sum_step(self, centres, even, odd, false, step, record, plane, counted, sums);
    }
    for (; step < steps; step++)
      sums = sum_step(self, centres, even, odd, true, step, record, plane, counted, sums);
    columns += 8 * NEXT_COLUMN;
    counted += self->counted_across;
  }
  return sums;
}
