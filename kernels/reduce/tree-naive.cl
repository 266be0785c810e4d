/* SPDX-License-Identifier: MIT */
/* The interleaved tree: at distance s every 2s-th element folds its neighbour; lanes diverge and banks idle. */
static acc_t
group_fold(const acc_t mine, __local acc_t *scratch, __global const ushort *map)
{
  const uint work = WORK_OF_ITEM(map);

  scratch[work] = mine;
  for (uint s = 1; s < GROUP; s *= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (work % (2 * s) == 0)
      scratch[work] = acc_merge(scratch[work], scratch[work + s]);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  return scratch[0];
}
