/* SPDX-License-Identifier: MIT */
/* Counts in global memory: for more bins than local memory holds. Twin of bins-local.cl. */
static void
bins_begin(__local uint *own, const uint n)
{
}

static void
bins_count(__local uint *own, volatile __global uint *counts, const uint bin)
{
  atomic_inc(counts + bin);
}

static void
bins_end(__local uint *own, volatile __global uint *counts, const uint n)
{
}
