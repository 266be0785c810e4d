/* SPDX-License-Identifier: MIT */
/*
 * The sums, means and pixel chains of each region before small ones are merged; labels count from 1. merging: (number
 * of regions, least number of pixels, pixels of the regions that merge now, 0). A work-item takes SPAN pixels, or one
 * region.
 *
 * sums: for each label three numbers as in wide.cl. means: means of the three channels in steps of 1/256,
 * and the number of pixels up to 65535. next: the pixel after each one in the chain of its region, counted from 1; 0
 * ends it. Only regions that are too small have chains, from heads[label] to tails[label], in any order.
 */

__kernel void
clear_regions(__global uint *sizes, __global uint *sums, __global uint *heads, __global uint *tails, const int4 image,
              const int4 merging)
{
  const uint label = (uint)get_global_id(0) + 1;

  if (label > (uint)merging.x)
    return;
  sizes[label] = heads[label] = tails[label] = 0;
  for (uint k = 0; k < 6; k++)
    sums[label * 6 + k] = 0;
}

static inline void
add_to_region(volatile __global uint *sizes, volatile __global uint *sums, const uint label, const uint size,
              const uint3 sum)
{
  atomic_add(&sizes[label], size);
  add_wide(&sums[label * 6], sum.x);
  add_wide(&sums[label * 6 + 2], sum.y);
  add_wide(&sums[label * 6 + 4], sum.z);
}

/* Sums consecutive pixels of one label before adding them to the region. */
__kernel void
add_up_regions(__global const uint *labels, __global const uchar4 *colours, volatile __global uint *sizes,
               volatile __global uint *sums, const int4 image, const int4 merging)
{
  const int n = image.x * image.y, start = (int)get_global_id(0) * SPAN, end = min(start + SPAN, n);

  for (int i = start; i < end;) {
    const uint label = labels[i];
    uint size = 0;
    uint3 sum = (uint3)(0);

    for (; i < end && labels[i] == label; i++, size++)
      sum += convert_uint3(colours[i].xyz);
    add_to_region(sizes, sums, label, size, sum);
  }
}

/* Chains the pixels of each region that is too small. */
__kernel void
chain_pixels(__global const uint *labels, __global const uint *sizes, __global uint *next,
             volatile __global uint *heads, __global uint *tails, const int4 image, const int4 merging)
{
  const int n = image.x * image.y, start = (int)get_global_id(0) * SPAN, end = min(start + SPAN, n);

  for (int i = start; i < end; i++) {
    const uint label = labels[i];

    if (sizes[label] >= (uint)merging.y)
      continue;
    next[i] = atomic_xchg(&heads[label], (uint)i + 1);
    if (next[i] == 0)
      tails[label] = (uint)i + 1;
  }
}

/*
 * As set_means() of core/regions/merging.c. The quotient, which is less than 65536, is at most one off as a float, and
 * then corrected: a division of 64 bits takes several times as long.
 */
static inline ushort
mean_of(const uint size, const ulong sum)
{
  const ulong dividend = 256 * sum + size / 2;
  const uint quotient = (uint)((float)dividend / (float)size);
  const ulong product = (ulong)quotient * size;

  if (product > dividend)
    return (ushort)(quotient - 1);
  return (ushort)(dividend - product >= size ? quotient + 1 : quotient);
}

/* Means of the region @label with @size more pixels, whose colours have the sum @sum. */
static inline ushort4
means_with(__global const uint *sizes, __global const uint *sums, const uint label, const uint size, const uint3 sum)
{
  const uint whole = sizes[label] + size;

  return (ushort4)(mean_of(whole, wide(&sums[label * 6]) + sum.x), mean_of(whole, wide(&sums[label * 6 + 2]) + sum.y),
                   mean_of(whole, wide(&sums[label * 6 + 4]) + sum.z), (ushort)min(whole, 65535u));
}

/* Every region begins as its own root, in the list of waiting regions. */
__kernel void
begin_regions(__global const uint *sizes, __global const uint *sums, __global ushort4 *means, __global uint *roots,
              __global uint *firsts, __global uint *waiting, __global uint *state, const int4 image,
              const int4 merging)
{
  const uint label = (uint)get_global_id(0) + 1;

  if (label > (uint)merging.x)
    return;
  means[label] = means_with(sizes, sums, label, 0, (uint3)(0));
  roots[label] = firsts[label] = label;
  waiting[label - 1] = label;
  if (label == 1)
    state[0] = (uint)merging.x;
}
