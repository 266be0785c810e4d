/* SPDX-License-Identifier: MIT */
/* The centre of a window and the window's ends. */
typedef struct {
  colour_t colour;
  uint first;  /* which bytes of the first quad are in the window */
  uint before; /* the same for the last quad but one */
  uint last;   /* the same for the last quad */
  bool late;   /* whether row 0 of the widest window is above this one */
  bool early;  /* whether row SIDE - 1 of the widest window is below it */
} centre_t;

/*
 * Whether the window around column or row `at` of the picture begins at `at` - SP + 1. OpenCV rounds the ends of a
 * window to even in single precision, so that every other one of a radius REACH at or next to a half (HALF_RADIUS is 1,
 * SP is REACH rounded up) is one pixel shorter at one end or at both.
 */
static inline bool
starts_late(const int at)
{
  return HALF_RADIUS && convert_int_rte((float)at - REACH) > at - SP;
}

/* Whether it ends at `at` + SP - 1. */
static inline bool
ends_early(const int at)
{
  return HALF_RADIUS && convert_int_rte((float)at + REACH) < at + SP;
}

/* The window around column `x` and row `y` of the picture, which starts `offset` columns into its first record. */
static inline void
set_centre(centre_t *self, const uint colour, const uint isr2, const uint offset, const int x, const int y)
{
  const uint start = offset + (starts_late(x) ? 1u : 0u);
  const int end = (int)offset + LAST_BYTE - (ends_early(x) ? 1 : 0);

  set_colour(&self->colour, colour, isr2);
  self->first = start > 3 ? 0u : 0xffffffffu << 8 * start;
  self->before = end < -1 ? 0xffffffffu >> 8 * (-1 - end) : 0xffffffffu;
  self->last = end < 0 ? 0u : 0xffffffffu >> 8 * (3 - end);
  self->late = starts_late(y);
  self->early = ends_early(y);
}

/* Whether row `y` of the widest window is in this one. */
static inline bool
has_row(const centre_t *centre, const int y)
{
  return !(y == 0 && centre->late) && !(y == SIDE - 1 && centre->early);
}

/* Quad `q` of a row. */
static inline void
add_quad(sums_t *sums, const centre_t *centre, const samples_t samples, const int q)
{
  uint inside = 0xffffffffu;

  if (q == 0)
    inside &= centre->first;
  if (LAST_BYTE < 0 && q == QUADS - 2)
    inside &= centre->before;
  if (q == QUADS - 1)
    inside &= centre->last;
  add_samples(sums, &centre->colour, samples, q, inside);
}

/* The state of a pixel: its colour with its original alpha, and x below y, with y counted from the first row held. */
typedef struct {
  uint colour;
  uint place;
} state_t;

/*
 * Moves `state` to the mean of its window; returns whether it has converged. `left` is the first column of the window's
 * first record, in 32 bits that wrap around at the image's left edge. Rows are summed from the image's first row rather
 * than the first one held, because means round to even.
 */
static inline bool
shift_to_mean(state_t *state, const sums_t *sums, __global const reciprocal_t *reciprocals, const uint left,
              const uint first_row, const int epsilon)
{
  const uint n = (uint)-sums->n;
  const reciprocal_t q = reciprocals[n];
  /* The rows 0 to SIDE - 1 were weighted by SIDE - row. */
  const uint below = (state->place >> 16) + first_row - SP + SIDE;
  const uint across = n * left - (uint)sums->x, down = n * below + (uint)sums->y;
  const uint mean = mean_of((uint)-sums->r, q) | mean_of((uint)-sums->g, q) << 8 | mean_of((uint)-sums->b, q) << 16 |
                    (state->colour & 0xff000000u);
  const uint x = mean_of(across, q), y = mean_of(down, q) - first_row, old_x = state->place & 0xffffu,
             old_y = state->place >> 16;
  const uint moved = abs_diff(x, old_x) + abs_diff(y, old_y);
  const bool rest = n == 0 || moved == 0 || (int)square_distance(mean, state->colour, moved) <= epsilon;

  if (n > 0) {
    state->colour = mean;
    state->place = x | y << 16;
  }
  return rest;
}

/* One iteration of a single pixel; returns whether it has converged. `shift` is that of shift_of(). */
static inline bool
shift_state(state_t *state, __global const uint4 *records, __global const reciprocal_t *reciprocals, const int4 image,
            const int pitch, const uint shift, const int4 filter)
{
  const uint column = (state->place & 0xffffu) + shift, offset = column % GRAIN;
  __global const uint4 *record = records + ((size_t)(state->place >> 16) * (size_t)pitch + (size_t)(column / GRAIN));
  sums_t sums = {0, 0, 0, 0, 0, 0};
  centre_t centre;

  set_centre(&centre, state->colour, (uint)filter.y, offset, (int)(state->place & 0xffffu),
             (int)(state->place >> 16) + image.z);
#pragma unroll LATER_ROWS
  for (int y = 0; y < SIDE; y++) {
    if (has_row(&centre, y)) {
#pragma unroll
      for (int q = 0; q < QUADS; q++)
        add_quad(&sums, &centre, samples_of(record[STEP * q]), q);
    }
    end_row(&sums);
    sums.y += sums.n;
    record += pitch;
  }
  return shift_to_mean(state, &sums, reciprocals, column - offset - SP - shift, (uint)image.z, filter.w);
}
