/* SPDX-License-Identifier: MIT */
/* Counts an array in `bins` equal bins from `low` to `high`, and elements outside in OUTSIDE further counters. */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
histogram_array(__global const ELEM *restrict source, const int n, const edge_t low, const edge_t high,
                const edge_t scale, const uint bins, volatile __global uint *counts, __local uint *own)
{
  bins_begin(own, bins + OUTSIDE);
  for (int i = get_global_id(0); i < n; i += (int)get_global_size(0))
    bins_count(own, counts, bin_of(source[i], low, high, scale, bins));
  bins_end(own, counts, bins + OUTSIDE);
}
