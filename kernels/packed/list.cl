/* SPDX-License-Identifier: MIT */
/* The list of pixels that have not converged; the entries of a group are consecutive. */

/*
 * Reserves `count` entries of the list for this work-item, next to those of its group; every work-item of the group
 * must call it.
 */
static inline uint
places_on_list(__global uint *counter, __local uint *room, const uint count)
{
  const bool first = get_local_id(0) == 0 && get_local_id(1) == 0;

  if (first)
    room[0] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  const uint own = atomic_add(room, count);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (first)
    room[1] = atomic_add(counter, room[0]);
  barrier(CLK_LOCAL_MEM_FENCE);
  return room[1] + own;
}
