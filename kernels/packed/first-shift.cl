/* SPDX-License-Identifier: MIT */
/*
 * The first iteration: a block of 2 x 2 pixels for each work-item, whose windows lie in the same records of SIDE + 1
 * rows. Pixels that have not converged are written to a list, those of a group together. Twin of
 * first-separate.cl and first-marked.cl.
 */

/* Sets up the block from (x, row) on: the states of its pixels, the centres of their windows, and empty sums. */
static inline void
begin_block(state_t states[4], centre_t centres[4], sums_t sums[4], __global const uint *source, const int4 image,
            const int x, const int row, const uint isr2, const uint offset)
{
#pragma unroll
  for (int k = 0; k < 4; k++) {
    const int column = x + (k & 1), line = row + (k >> 1);
    const size_t at = (size_t)min(line, image.w - 1) * (size_t)image.x + (size_t)min(column, image.x - 1);

    states[k].colour = source[at];
    states[k].place = (uint)column | (uint)line << 16;
    set_centre(&centres[k], states[k].colour, isr2, offset + (uint)(k & 1), column, line + image.z);
    sums[k] = (sums_t){0, 0, 0, 0, 0, 0};
  }
}

__kernel void
mean_shift_first(__global const uint *source, __global uint *result, __global const uint4 *records,
                 __global const reciprocal_t *reciprocals, __global uint4 *moving, __global uint *counter,
                 const int4 image, const int pitch, const int4 region, const int4 band, const int4 filter,
                 __local uint *room MODES_PARAM)
{
  const int own_x = band.x + 2 * (int)get_global_id(0), own_y = band.y + 2 * (int)get_global_id(1);
  /* Work-items beyond the band repeat its last pixels, and their results are discarded. */
  const int x = min(own_x, band.x + ((band.z - 1) & ~1)), row = min(own_y, band.y + band.w - 1) - image.z;
  const uint shift = (uint)shift_of(region.x), column = (uint)x + shift, offset = column % GRAIN;
  __global const uint4 *record = records + ((size_t)row * (size_t)pitch + (size_t)(column / GRAIN));
  state_t states[4];
  centre_t centres[4];
  sums_t sums[4];
  uint start[4], count = 0;
  bool on[4];

  begin_block(states, centres, sums, source, image, x, row, (uint)filter.y, offset);
  add_block_rows(sums, centres, record, pitch);
#pragma unroll
  for (int k = 0; k < 4; k++) {
    const int to_x = own_x + (k & 1), to_y = own_y + (k >> 1);
    const bool mine = to_x < band.x + band.z && to_y < band.y + band.w;

    start[k] = states[k].place;
    on[k] = !shift_to_mean(&states[k], &sums[k], reciprocals, column - offset - SP - shift, (uint)image.z, filter.w) &&
            mine && filter.z > 1;
    count += on[k] ? 1 : 0;
    if (mine && !on[k]) {
      const size_t at = (size_t)(to_y - region.y) * (size_t)region.z + (size_t)(to_x - region.x);

      result[at] = states[k].colour;
      STORE_MODE(at, states[k].place & 0xffffu, (states[k].place >> 16) + (uint)image.z);
    }
  }
  uint to = places_on_list(counter, room, count);
#pragma unroll
  for (int k = 0; k < 4; k++)
    if (on[k])
      moving[to++] = (uint4)(states[k].colour, states[k].place, start[k], 0u);
}
