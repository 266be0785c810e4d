/* SPDX-License-Identifier: MIT */
/*
 * For devices without atomic operations on 64 bits. The smallest number that a region is offered takes two passes: the
 * first one finds its upper half, the second one the lower half of those with this upper half. Twin of atomic-64.cl.
 */
#define NEAREST uint

/* Most values are no smaller, and reading is faster than an atomic operation. */
static inline void
lower(volatile __global uint *value, const uint to)
{
  if (to < *value)
    atomic_min(value, to);
}

static inline void
offer(volatile __global uint *nearest, const uint region, const ulong number)
{
  lower(nearest + 2 * (size_t)region + 1, (uint)(number >> 32));
}

/* offer() where no other work-item offers something to the region. */
static inline void
offer_alone(volatile __global uint *nearest, const uint region, const ulong number)
{
  volatile __global uint *own = nearest + 2 * (size_t)region + 1;

  *own = min(*own, (uint)(number >> 32));
}

static inline void
settle(volatile __global uint *nearest, const uint region, const ulong number)
{
  if (nearest[2 * (size_t)region + 1] == (uint)(number >> 32))
    lower(nearest + 2 * (size_t)region, (uint)number);
}

/* Exactly one of the additions that run at once finds each overflow of the lower half. */
static inline void
add_wide(volatile __global uint *sum, const ulong value)
{
  const uint low = (uint)value, before = atomic_add(sum, low);
  const uint high = (uint)(value >> 32) + (before + low < before ? 1u : 0u);

  if (high != 0)
    atomic_add(sum + 1, high);
}

/* For numbers that no other work-item adds to. */
static inline void
add_alone(volatile __global uint *sum, const ulong value)
{
  const uint low = sum[0] + (uint)value;

  sum[1] += (uint)(value >> 32) + (low < (uint)value ? 1u : 0u);
  sum[0] = low;
}
