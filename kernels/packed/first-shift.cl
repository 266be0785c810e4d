/* SPDX-License-Identifier: MIT */
/*
 * The first iteration: a block of 2 x 2 pixels for each work-item, whose windows lie in the same records of SIDE + 1 rows.
 * Pixels that go on are written to a list, those of a group together.
 */

/* A row of samples: of the upper two windows, of the lower two, or of all four. */
static inline void
add_row(sums_t sums[4], const centre_t centres[4], __global const uint4 *record, const bool upper, const bool lower)
{
#pragma unroll
  for (int q = 0; q < QUADS; q++) {
    const uint4 pixels = record[STEP * q], planes = planes_of(pixels);

#pragma unroll
    for (int k = upper ? 0 : 2; k < (lower ? 4 : 2); k++)
      add_quad(&sums[k], &centres[k], pixels, planes, q);
  }
#pragma unroll
  for (int k = upper ? 0 : 2; k < (lower ? 4 : 2); k++)
    sums[k].y += sums[k].n;
}

__kernel void
mean_shift_first(__global const uint *source, __global uint *result, __global const uint4 *records,
                 __global const double *reciprocals, __global uint4 *moving, __global uint *counter, const int4 image,
                 const int4 region, const int4 band, const int4 filter, __local uint *room)
{
  const int own_x = band.x + 2 * (int)get_global_id(0), own_y = band.y + 2 * (int)get_global_id(1);
  const bool first = get_local_id(0) == 0 && get_local_id(1) == 0;
  /* Work-items beyond the band go over its last pixels, for nothing. */
  const int x = min(own_x, band.x + ((band.z - 1) & ~1)), row = min(own_y, band.y + band.w - 1) - image.z;
  const uint column = (uint)(x + shift_of(region.x)), offset = column % GRAIN;
  const uint left = column - offset - SP - (uint)shift_of(region.x);
  const int pitch = records_per_row(image.x);
  __global const uint4 *record = records + ((size_t)row * (size_t)pitch + (size_t)(column / GRAIN));
  state_t states[4];
  centre_t centres[4];
  sums_t sums[4];
  bool on[4];
  uint count = 0;

#pragma unroll
  for (int k = 0; k < 4; k++) {
    const int own_column = min(x + (k & 1), image.x - 1), own_row = min(row + (k >> 1), image.w - 1);

    states[k].colour = source[(size_t)own_row * (size_t)image.x + (size_t)own_column];
    states[k].place = (uint)(x + (k & 1)) | (uint)(row + (k >> 1)) << 16;
    set_centre(&centres[k], states[k].colour, (uint)filter.y, offset + (uint)(k & 1));
    sums[k] = (sums_t){0, 0, 0, 0, 0, 0};
  }
  add_row(sums, centres, record, true, false);
#pragma unroll FIRST_ROWS
  for (int y = 1; y < SIDE; y++)
    add_row(sums, centres, record + y * pitch, true, true);
  add_row(sums, centres, record + SIDE * pitch, false, true);

  if (first)
    room[0] = 0;
#pragma unroll
  for (int k = 0; k < 4; k++) {
    const int to_x = own_x + (k & 1), to_y = own_y + (k >> 1);
    const bool mine = to_x < band.x + band.z && to_y < band.y + band.w;
    const bool rest = shift_to_mean(&states[k], &sums[k], reciprocals, left, (uint)image.z, filter.w);

    on[k] = mine && !rest && filter.z > 1;
    count += on[k] ? 1 : 0;
    if (mine && !on[k])
      result[(size_t)(to_y - region.y) * (size_t)region.z + (size_t)(to_x - region.x)] = states[k].colour;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  uint to = atomic_add(room, count);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (first)
    room[1] = atomic_add(counter, room[0]);
  barrier(CLK_LOCAL_MEM_FENCE);
  to += room[1];
#pragma unroll
  for (int k = 0; k < 4; k++)
    if (on[k])
      moving[to++] = (uint4)(states[k].colour, states[k].place, (uint)(x + (k & 1)) | (uint)(row + (k >> 1)) << 16, 0u);
}
