/* SPDX-License-Identifier: MIT */
/* The SIDE + 1 rows in which the four windows of a block of 2 x 2 pixels lie. */

/* A row that two of the windows may lack, where the radius has a half. */
static inline void
add_end_row(sums_t sums[4], const centre_t centres[4], __global const uint4 *record, const bool upper,
            const bool lower)
{
  if (upper && lower)
    add_row(sums, centres, record, true, true);
  else if (upper)
    add_row(sums, centres, record, true, false);
  else if (lower)
    add_row(sums, centres, record, false, true);
}

/* A row below the window adds no samples, but the running sum of y needs the samples found so far. */
static inline void
pass_rows(sums_t sums[4], const int first, const bool passed)
{
  sums[first].y += passed ? sums[first].n : 0;
  sums[first + 1].y += passed ? sums[first + 1].n : 0;
}

/* The upper two windows and the lower two may each lack the first or the last row of the widest window. */
static inline void
add_block_rows(sums_t sums[4], const centre_t centres[4], __global const uint4 *record, const int pitch)
{
  if (HALF_RADIUS) {
    add_end_row(sums, centres, record, !centres[0].late, false);
    add_end_row(sums, centres, record + pitch, true, !centres[2].late);
  } else {
    add_row(sums, centres, record, true, false);
  }
#pragma unroll FIRST_ROWS
  for (int y = 1 + HALF_RADIUS; y < SIDE - HALF_RADIUS; y++)
    add_row(sums, centres, record + y * pitch, true, true);
  if (HALF_RADIUS) {
    add_end_row(sums, centres, record + (SIDE - 1) * pitch, !centres[0].early, true);
    pass_rows(sums, 0, centres[0].early);
    add_end_row(sums, centres, record + SIDE * pitch, false, !centres[2].early);
    pass_rows(sums, 2, centres[2].early);
  } else {
    add_row(sums, centres, record + SIDE * pitch, false, true);
  }
}
