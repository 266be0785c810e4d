/* SPDX-License-Identifier: MIT */
/*
 * Counts an array in `bins` equal bins from `low` to `high`, and elements outside in OUTSIDE further counters: BELOW,
 * ABOVE or NOT_A_NUMBER. Where IN_LOCAL is 1, each group counts in local memory and adds its bins up at the end; more
 * bins than it holds are counted in global memory.
 */

/* The plan names one of the two as BIN_AT: exact in 64 bits for integers, in their own arithmetic for real numbers. */
#define BIN_AT_INTEGER(x) (uint)((ulong)((x) - low) * bins / (ulong)(high - low))
#define BIN_AT_REAL(x) (uint)(((x) - low) * scale)

static uint
bin_of(const EDGE x, const EDGE low, const EDGE high, const EDGE scale, const uint bins)
{
  if (x < low)
    return bins + BELOW;
  if (x > high)
    return bins + ABOVE;
  if (!(x >= low))
    return bins + NOT_A_NUMBER;
  return min(BIN_AT(x), bins - 1);
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
histogram_array(__global const ELEM *restrict source, const int n, const EDGE low, const EDGE high, const EDGE scale,
                const uint bins, volatile __global uint *counts, __local uint *own)
{
  if (IN_LOCAL) {
    for (uint i = get_local_id(0); i < bins + OUTSIDE; i += GROUP)
      own[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (int i = get_global_id(0); i < n; i += (int)get_global_size(0)) {
    const uint bin = bin_of((EDGE)source[i], low, high, scale, bins);

    if (IN_LOCAL)
      atomic_inc(own + bin);
    else
      atomic_inc(counts + bin);
  }
  if (IN_LOCAL) {
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = get_local_id(0); i < bins + OUTSIDE; i += GROUP)
      if (own[i] > 0)
        atomic_add(counts + i, own[i]);
  }
}
