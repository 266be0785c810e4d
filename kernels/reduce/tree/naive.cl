/* SPDX-License-Identifier: MIT */
/* The interleaved tree: at distance s every 2s-th element folds its neighbour; lanes diverge and banks conflict. */
static void
group_fold(partial_t *mine, __local partial_t *scratch, __global const ushort *map)
{
  const uint work = WORK_OF_ITEM(map);

  scratch[work] = *mine;
  for (uint s = 1; s < GROUP; s *= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (work % (2 * s) == 0) {
      partial_t own = scratch[work];
      const partial_t other = scratch[work + s];
      partial_merge(&own, &other);
      scratch[work] = own;
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  *mine = scratch[0];
}
