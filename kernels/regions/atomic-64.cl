/* SPDX-License-Identifier: MIT */
/*
 * For devices with atomic operations on 64 bits, where the lower half of a number comes first in memory. The smallest
 * number that a region is offered takes one pass. Twin of atomic-32.cl.
 */
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable

#define NEAREST ulong

static inline void
offer(volatile __global ulong *nearest, const uint region, const ulong number)
{
  volatile __global ulong *own = nearest + region;

  for (ulong known = *own; number < known;) {
    const ulong before = atom_cmpxchg(own, known, number);

    if (before == known)
      return;
    known = before;
  }
}

/* offer() where no other work-item offers something to the region. */
static inline void
offer_alone(volatile __global ulong *nearest, const uint region, const ulong number)
{
  nearest[region] = min(nearest[region], number);
}

static inline void
settle(volatile __global ulong *nearest, const uint region, const ulong number)
{
}

static inline void
add_wide(volatile __global uint *sum, const ulong value)
{
  atom_add((volatile __global ulong *)sum, value);
}

/* For numbers that no other work-item adds to. */
static inline void
add_alone(volatile __global uint *sum, const ulong value)
{
  *(__global ulong *)sum += value;
}
