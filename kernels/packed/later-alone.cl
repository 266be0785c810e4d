/* SPDX-License-Identifier: MIT */
/*
 * The iterations after the first, for the pixels on the list: a group takes LIST_SHARE of them, and a work-item whose
 * pixel has converged takes the group's next one, so that none waits for the slowest of its warp. Twin of
 * later-merged.cl.
 */
__kernel void
mean_shift_later(__global uint *result, __global const uint4 *records, __global const reciprocal_t *reciprocals,
                 __global const uint4 *moving, __global const uint *counter, const int4 image, const int pitch,
                 const int4 region, const int4 filter, __local uint *next MODES_PARAM)
{
  const uint group = (uint)(get_group_id(1) * get_num_groups(0) + get_group_id(0));
  const uint all = counter[0], own = group * LIST_SHARE;
  const uint size = (uint)(get_local_size(0) * get_local_size(1));
  const uint end = own < all ? min(all - own, (uint)LIST_SHARE) : 0;
  uint number = (uint)(get_local_id(1) * get_local_size(0) + get_local_id(0)), start = 0;
  int left = 0;
  state_t state = {0, 0};

  if (number == 0)
    *next = size;
  barrier(CLK_LOCAL_MEM_FENCE);
  while (number < end) {
    if (left == 0) {
      const uint4 entry = moving[own + number];

      state.colour = entry.x;
      state.place = entry.y;
      start = entry.z;
      left = filter.z - FIRST_STEPS;
    }
    left--;
    if (shift_state(&state, records, reciprocals, image, pitch, (uint)shift_of(region.x), filter))
      left = 0;
    if (left == 0) {
      const int x = (int)(start & 0xffffu), y = (int)(start >> 16) + image.z;
      const size_t to = (size_t)(y - region.y) * (size_t)region.z + (size_t)(x - region.x);

      result[to] = state.colour;
      STORE_MODE(to, state.place & 0xffffu, (state.place >> 16) + (uint)image.z);
      number = atomic_inc(next);
    }
  }
}
