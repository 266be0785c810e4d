/* SPDX-License-Identifier: MIT */
/*
 * The interleaved tree with refined swapping [BD]: every work-item keeps its partial at its own index, which avoids
 * bank conflicts; the inverse table, the second half of the map, gives the index of a partner's partial.
 */
static void
group_fold(partial_t *mine, __local partial_t *scratch, __global const ushort *map)
{
  const uint place = get_local_id(0), work = WORK_OF_ITEM(map);
  __global const ushort *place_of = map + GROUP;

  scratch[place] = *mine;
  for (uint s = 1; s < GROUP; s *= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (work % (2 * s) == 0) {
      partial_t own = scratch[place];
      const partial_t other = scratch[place_of[work + s]];
      partial_merge(&own, &other);
      scratch[place] = own;
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  *mine = scratch[place_of[0]];
}
