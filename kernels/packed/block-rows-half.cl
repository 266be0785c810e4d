/* SPDX-License-Identifier: MIT */
/*
 * The SIDE + 1 rows in which the windows of a block lie, for a radius with a half: the upper two windows and the lower
 * two may each lack the first or the last row of the widest window. Twin of block-rows-whole.cl.
 */
static inline void
add_rows_at_end(sums_t sums[4], const centre_t centres[4], __global const uint4 *record, const bool upper,
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

static inline void
add_block_rows(sums_t sums[4], const centre_t centres[4], __global const uint4 *record, const int pitch)
{
  add_rows_at_end(sums, centres, record, !centres[0].late, false);
  add_rows_at_end(sums, centres, record + pitch, true, !centres[2].late);
#pragma unroll FIRST_ROWS
  for (int y = 2; y < SIDE - 1; y++)
    add_row(sums, centres, record + y * pitch, true, true);
  add_rows_at_end(sums, centres, record + (SIDE - 1) * pitch, !centres[0].early, true);
  pass_rows(sums, 0, centres[0].early);
  add_rows_at_end(sums, centres, record + SIDE * pitch, false, !centres[2].early);
  pass_rows(sums, 2, centres[2].early);
}
