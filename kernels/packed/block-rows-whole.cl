/* SPDX-License-Identifier: MIT */
/* The SIDE + 1 rows in which the windows of a block lie, for a whole radius. Twin of block-rows-half.cl. */
static inline void
add_block_rows(sums_t sums[4], const centre_t centres[4], __global const uint4 *record, const int pitch)
{
  add_row(sums, centres, record, true, false);
#pragma unroll FIRST_ROWS
  for (int y = 1; y < SIDE; y++)
    add_row(sums, centres, record + y * pitch, true, true);
  add_row(sums, centres, record + SIDE * pitch, false, true);
}
