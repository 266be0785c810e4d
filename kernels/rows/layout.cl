/* SPDX-License-Identifier: MIT */
/*
 * The layout of the rows kernel: for each row held, a row of each of the PLANES in 16 bits, with a margin on
 * both sides that repeats the edge. The plan (core/filter/plan/plan-rows.c) says how many elements the `margin` has and
 * how many lie from one plane to the next (the `pitch`); a row is PLANES of them.
 */

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
