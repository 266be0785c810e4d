/* SPDX-License-Identifier: MIT */
/*
 * Shared by all windows: the picture, a vector of samples and their sums, and the step of eight pixels to their means.
 */
#define TILE_PIXELS (TILE_WIDTH * TILE_HEIGHT) /* at most 256: a pixel's number in its tile has 8 bits */

typedef struct {
  __global const ushort *planes; /* column 0 of the first row held */
  __global const ushort *columns; /* row 0 of the rows held, column by column, where the plan writes them */
  int pitch;
  int column_pitch;
  int width;
  int height;
  int first_held;
  reach_t reach;
  limit_t limit;
} picture_t;

/* Lane by lane: samples taken plus POSITION times the sum of a position, and the values. */
typedef struct {
  lanes_t packed;
  lanes_t s0;
  lanes_t s1;
  lanes_t s2;
} sums_t;

#define POSITION 64
#define POSITION_SHIFT ((lanes_t)6)
#define COUNT_BITS ((lanes_t)63)
#define ALL_LANES ((mask_t)-1)

static inline __global const ushort *
row_of(const picture_t *picture, const int y)
{
  const int row = stored_row(y, picture->height) - picture->first_held;

  return picture->planes + (size_t)row * (size_t)(PLANES * picture->pitch);
}

static inline void
add_samples(sums_t *sums, const colour_t *t, const colour_t *c, const limit_t limit, const lanes_t weight,
            const mask_t taken)
{
  const mask_t m = taken & is_like(t, c, limit);
  const values_t v = values_of(t);

  sums->packed = m ? sums->packed + weight : sums->packed;
  sums->s0 = m ? sums->s0 + v.c0 : sums->s0;
  sums->s1 = m ? sums->s1 + v.c1 : sums->s1;
  sums->s2 = m ? sums->s2 + v.c2 : sums->s2;
}

/* Lanes first to last inclusive, which may lie outside the vector. */
static inline mask_t
lanes_between(const int first, const int last)
{
  const ushort from = (ushort)clamp(first, 0, LANES), end = (ushort)clamp(last + 1, 0, LANES);

  return (LANE_INDEX >= (lanes_t)from) & (LANE_INDEX < (lanes_t)end);
}

/* The current positions and colours of eight pixels. */
typedef struct {
  int8 x;
  int8 y;
  int8 colour;
} places_t;

/* The sums of eight windows, positions counted from the window's corner. */
typedef struct {
  int8 n;
  int8 sx;
  int8 sy;
  int8 s0;
  int8 s1;
  int8 s2;
} totals_t;

/*
 * Moves eight pixels to the means of their windows, which begin at (left, top); returns -1 for those that have not
 * converged, 0 for the others.
 */
static inline int8
step_eight(places_t *places, const totals_t *t, const int8 left, const int8 top, const int epsilon)
{
  const divisor_t divisor = divisor_of(t->n);
  const int8 x = mean_of(t->sx + t->n * left, divisor), y = mean_of(t->sy + t->n * top, divisor);
  const int8 m0 = mean_of(t->s0, divisor), m1 = mean_of(t->s1, divisor), m2 = mean_of(t->s2, divisor);
  const int8 d0 = m0 - (places->colour & 255), d1 = m1 - (places->colour >> 8 & 255),
             d2 = m2 - (places->colour >> 16);
  const int8 dx = x - places->x, dy = y - places->y;
  const int8 shift = max(dx, -dx) + max(dy, -dy);

  places->x = x;
  places->y = y;
  places->colour = t->n == 0 ? places->colour : (m0 | m1 << 8 | m2 << 16);
  return (t->n != 0) & (shift != 0) & (shift + d0 * d0 + d1 * d1 + d2 * d2 > epsilon);
}
