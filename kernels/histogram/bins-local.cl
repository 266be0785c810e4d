/* SPDX-License-Identifier: MIT */
/* Bins that fit into local memory are counted there first, one set for each group. */
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
