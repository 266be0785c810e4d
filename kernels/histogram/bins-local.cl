/* SPDX-License-Identifier: MIT */
/* Counts in local memory, one set of bins for each group, added up at the end. Twin of bins-global.cl. */
static void
bins_begin(__local uint *own, const uint n)
{
  for (uint i = get_local_id(0); i < n; i += GROUP)
    own[i] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
}

static void
bins_count(__local uint *own, volatile __global uint *counts, const uint bin)
{
  atomic_inc(own + bin);
}

static void
bins_end(__local uint *own, volatile __global uint *counts, const uint n)
{
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint i = get_local_id(0); i < n; i += GROUP)
    if (own[i] > 0)
      atomic_add(counts + i, own[i]);
}
