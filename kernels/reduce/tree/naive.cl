/* SPDX-License-Identifier: MIT */
/*
 * The interleaved tree: at distance s every 2s-th element folds its neighbour; lanes diverge and banks conflict. With
 * refined swapping [BD] (REFINED is 1) every work-item keeps its partial at its own index, which avoids bank conflicts;
 * the inverse table, the second half of the map, gives the index of a partner's partial.
 */
static uint
place_of(const uint work, __global const ushort *map)
{
  return REFINED ? map[GROUP + work] : work;
}

static void
group_fold(partial_t *mine, __local partial_t *scratch, __global const ushort *map)
{
  const uint work = WORK_OF_ITEM(map), place = REFINED ? get_local_id(0) : work;

  scratch[place] = *mine;
  for (uint s = 1; s < GROUP; s *= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (work % (2 * s) == 0) {
      partial_t own = scratch[place];
      const partial_t other = scratch[place_of(work + s, map)];
      partial_merge(&own, &other);
      scratch[place] = own;
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  *mine = scratch[place_of(0, map)];
}
