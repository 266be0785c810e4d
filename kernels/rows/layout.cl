/* SPDX-License-Identifier: MIT */
/*
 * The layout of the rows kernel: for each row held, a row of each of the PLANES in 16 bits, with a margin on
 * both sides that repeats the edge. core/filter/plan/plan-rows.c uses the same numbers.
 */
static inline int
margin_of(const int radius)
{
  return (2 * radius + 48) / 16 * 16;
}

/*
 * Elements from one plane to the next; a row is PLANES of them. An odd number of cache lines (32 elements), so that
 * the rows of a window do not share a few sets of the cache.
 */
static inline int
pitch_of(const int width, const int radius)
{
  return (((width + 31) / 32 + 2 * margin_of(radius) / 32) | 1) * 32;
}

/* Elements from one plane to the next of a column, which is PLANES of them; a vector may read beyond the last row. */
static inline int
column_pitch_of(const int rows)
{
  return (((rows + 31) / 32 + 1) | 1) * 32;
}

/* The reach of windows: the whole radius, rounded up where `sp` has a half, and the radius with its fraction. */
typedef struct {
  int radius;
  float sp;
} reach_t;
