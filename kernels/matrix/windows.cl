/* SPDX-License-Identifier: MIT */
/*
 * The sums of CHUNK windows at once, SETS times sixteen, which share the loads of samples. For a centre c and a
 * sample t the matrix product of the rows
 *   (-128 c0, -128 c1), (-128 c2, rest), (64, 32768), (0, 0)
 *   (t0, t1),           (t2, 1),         (low, high), any        of the record, n / 2^24 each but for the 1
 * plus a start value is (|t - c|^2 - isr2 - 1/2) / 2^18: negative for the samples within the colour radius, and no
 * rounding changes a sign. Eight more columns of the matrices exclude rows: of four rows of samples, a window may lack
 * the first one to four (columns 0 to 3) and the last one to four (columns 4 to 7); the centre marks the column, whose
 * samples of those rows are FAR. The start value excludes columns of the image.
 */
#define SETS 2
#define CHUNK (16 * SETS) /* one window for each lane */
#define REACH 64u                 /* columns and rows over which the centres of one pass may spread */
#define FAR 0x44004400u           /* 4, 4: beyond every limit */
#define EIGHTS 0x48004800u        /* 8, 8 */
#define FIRST_COLUMNS 0x64026400u /* 1024, 1026 */
#define NEXT_COLUMN 0x00010001u   /* one more in both halves, from 1024 on */

/*
 * Values that a lane keeps for the whole run. Lane 4 r + p handles part p of the records of sample r, and plane r: red,
 * green and blue from memory; one, x and y counted from the pass's first column and row.
 */
typedef struct {
  __global const uint *records;
  __local uint *scratch;
  uint strip_words;
  uint2 excluded; /* FAR in the rows, two by two, that the columns of this lane exclude */
  int below;      /* whether those columns exclude the last of four rows rather than the first ones */
  uint row;
  uint part;
  uint record_offset;
  uint plane_offset;
  uint counted;
  uint counted_across;
  uint counted_down;
} lane_t;

/*
 * Sixteen centres, of which numbers row and row + 8 are this lane's. `shift` is 16 times the number of rows that each
 * excludes from the first four, less this lane's first column.
 */
typedef struct {
  uint4 factors;
  uint2 start;
  uint2 column;
  int2 shift;
} centres_t;

/* The samples' side of the columns that exclude rows: column c of eight excludes c % 4 + 1 of four rows. */
static inline uint2
excluded_rows(const uint row, const uint part)
{
  const uint column = 2 * (part & 1u), line = row >> 2;
  const uint above = part < 2 ? line : 3 - line, below = part < 2 ? line + 2 : 1 - line;

  return (uint2)((above <= column ? FAR & 0xffffu : 0u) | (above <= column + 1 ? FAR & 0xffff0000u : 0u),
                 (below <= column ? FAR & 0xffffu : 0u) | (below <= column + 1 ? FAR & 0xffff0000u : 0u));
}

/* The centre's side: 1 in the half that stands for the number of rows excluded from step `step`, at most four. */
static inline uint
exclusion_mark(const lane_t *self, const int shift, const uint step)
{
  const int by = shift + (self->below ? 64 : -64) * (int)step;

  return shift_left(HALF_ONE, (uint)min(by, 48 - 32 * (int)(self->part & 1u)));
}

/* The shift of the first step for a centre `row` rows below the pass's first one. */
static inline int
first_shift(const lane_t *self, const int row)
{
  const int excluded = self->below ? 4 - row - SIDE : row;

  return 16 * (excluded - 1 - 2 * (int)(self->part & 1u));
}

/* The start values of a pair of columns for this lane's two centres: beyond every limit outside their windows. */
static inline uint2
start_values(const centres_t *centres, const uint columns)
{
  return (uint2)(half2_add(half2_beyond(columns, centres->column.x, EIGHTS, REACH_BIAS), centres->start.x),
                 half2_add(half2_beyond(columns, centres->column.y, EIGHTS, REACH_BIAS), centres->start.y));
}

/* The addresses from which a lane reads the next four rows; lanes that count pixels use @counted in place of @plane. */
typedef struct {
  __global const uint *record;
  __global const uint *plane;
  uint counted;
} cursor_t;

/* The next four rows, number `step` of a pass. */
static inline void
sum_step(const lane_t *self, const centres_t centres[SETS], const uint2 even[SETS], const uint2 odd[SETS],
         const bool edge, const uint step, cursor_t *cursor, int4 sums[SETS])
{
  const uint2 above = *(__global const uint2 *)cursor->record,
              below = *(__global const uint2 *)(cursor->record + 2 * LINE);
  uint2 planes = (uint2)(cursor->counted, cursor->counted + self->counted_down);

  if (self->row < 3)
    planes = (uint2)(cursor->plane[0], cursor->plane[2 * LINE]);
  cursor->record += 4 * LINE;
  cursor->plane += 4 * LINE;
  cursor->counted += 2 * self->counted_down;
#pragma unroll
  for (int k = 0; k < SETS; k++) {
    uint4 factors = centres[k].factors;

    if (edge) {
      factors.z = exclusion_mark(self, centres[k].shift.x, step);
      factors.w = exclusion_mark(self, centres[k].shift.y, step);
    }
    sums[k] =
        matrix_step(self->scratch, factors, even[k], odd[k], above, below, self->excluded, edge, planes, sums[k]);
  }
}

/*
 * `quads` fours of columns from `left` in the records, rows from `top`; the centres spread over `spread` + 1 rows. Rows
 * come by four: those that some windows exclude, those that all include, and the rest.
 */
static inline void
sum_windows(const lane_t *self, const centres_t centres[SETS], const uint left, const uint quads, const uint top,
            const uint spread, int4 sums[SETS])
{
  const uint lead = max((spread + 3) / 4, 1u), steps = (spread + SIDE + 3) / 4;
  const uint inner = max((uint)(SIDE / 4), lead);
  const uint record_quad = self->row >> 1 & 1u, plane_quad = self->part & 1u;
  uint columns = FIRST_COLUMNS + 4 * plane_quad * NEXT_COLUMN;
  uint counted = self->counted;

  for (uint quad = left / 4; quad < left / 4 + quads; quad += 2) {
    const uint r = quad + record_quad, p = quad + plane_quad;
    cursor_t cursor = {self->records + (r / STRIP_QUADS * self->strip_words + top * LINE + r % STRIP_QUADS * RECORD +
                                        self->record_offset),
                       self->records + (p / STRIP_QUADS * self->strip_words + top * LINE + p % STRIP_QUADS * RECORD +
                                        self->plane_offset),
                       counted};
    uint2 even[SETS], odd[SETS];
    uint step = 0;

#pragma unroll
    for (int k = 0; k < SETS; k++) {
      even[k] = start_values(&centres[k], columns);
      odd[k] = start_values(&centres[k], columns + NEXT_COLUMN);
    }
    for (; step < lead; step++)
      sum_step(self, centres, even, odd, true, step, &cursor, sums);
    for (; step < inner; step++)
      sum_step(self, centres, even, odd, false, step, &cursor, sums);
    for (; step < steps; step++)
      sum_step(self, centres, even, odd, true, step, &cursor, sums);
    columns += 8 * NEXT_COLUMN;
    counted += self->counted_across;
  }
}
