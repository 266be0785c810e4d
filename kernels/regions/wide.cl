/* SPDX-License-Identifier: MIT */
/*
 * Numbers of 64 bits that several work-items add to, as two of 32 bits, the lower half first; see add_wide() in
 * atomic-32.cl and atomic-64.cl.
 */

static inline ulong
wide(__global const uint *sum)
{
  return (ulong)sum[1] << 32 | sum[0];
}

/* Most values are no larger, and reading is faster than an atomic operation. */
static inline void
raise(volatile __global uint *value, const uint to)
{
  if (to > *value)
    atomic_max(value, to);
}
