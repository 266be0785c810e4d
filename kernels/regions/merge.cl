/* SPDX-License-Identifier: MIT */
/*
 * Merges regions with fewer than work.z pixels in rounds, as core/regions/regions-reference.c does. A region is its
 * label less 1. Tiles and spans are those of connect.cl.
 *
 * left: the regions that have not joined others; NONE follows the last one of a span
 * sums: SUMS numbers of each region, as in sums.cl; a region that has joined another has no
 *   pixels. SHARED may be added to the number of pixels
 * means: three of 16 bits, and bits that say whether the region is small, and whether it is small and shared
 * nearest: the smallest distance and label that a small region has found, as 34 and 30 bits of a number; 0 for others
 * edges: two regions that touch, of which one is small; (0, 0) follows the last one of a span
 * joined: for each region itself or the one that it has joined
 * totals: TOTALS numbers for each round that is enqueued at once, of which work.w is the present one: the numbers of
 *   edges, of regions that are left, and of small ones
 */
#define TOTALS 4

/* In place of a region. */
#define NONE 0xffffffffU

#define IS_SMALL ((ulong)1 << 48)
#define IS_SHARED ((ulong)1 << 49)

__kernel void
start_regions(__global uint *left, __global uint *joined, __global uint *sums, const int4 image, const uint4 work)
{
  const uint start = (uint)get_global_id(0) * work.x, end = min(start + work.x, work.y);

  for (uint i = start; i < end; i++) {
    left[i] = i;
    joined[i] = i;
    for (int k = 0; k < SUMS; k++)
      sums[(size_t)i * SUMS + k] = 0;
  }
}

/* The most pixels whose channels are added in 16 bits. */
#define LONGEST_SUM 256

/* number_sets() of pixels, which also adds them to their regions; those that follow each other in one together. */
__kernel void
sum_colours(__global uint *firsts, __global const uint *before, __global const uint *ranks,
            __global const uint *restrict colours, __global uint *sums, const int4 image, const uint4 work)
{
  const uint start = (uint)get_global_id(0) * work.x, end = min(start + work.x, work.y);

  for (uint i = start; i < end;) {
    const uint first = firsts[i], label = number_of(before, ranks, first, work), begin = i;
    const uint stop = min(end, begin + LONGEST_SUM);
    __global uint *own = sums + (size_t)(label - 1) * SUMS;
    uint outer = 0, middle = 0;

    for (; i < stop && firsts[i] == first; i++) {
      const uint colour = colours[i];

      outer += colour & 0xff00ff;
      middle += colour >> 8 & 0xff;
      firsts[i] = label;
    }
    const uint4 run = (uint4)(outer & 0xffff, middle, outer >> 16, i - begin);
    if (is_shared(own + SIZE))
      add_run_of(own, run);
    else
      add_run_alone(own, run);
  }
}

/* (256 * sum + pixels / 2) / pixels, which has 16 bits. Most regions of the first round are single pixels. */
static inline ulong
mean_of(const ulong sum, const uint pixels)
{
  if (pixels == 1)
    return 256 * sum;
  if (pixels < 65536)
    return (256 * (uint)sum + pixels / 2) / pixels;
  return (256 * sum + pixels / 2) / pixels;
}

__kernel void
begin_round(__global uint *left, __global const uint *sums, __global ulong *means, __global ulong *nearest,
            volatile __global uint *totals, const int4 image, const uint4 work)
{
  const uint start = (uint)get_global_id(0) * work.x, end = min(start + work.x, work.y);
  uint kept = start, n_small = 0;

  for (uint k = start; k < end && left[k] != NONE; k++) {
    const uint i = left[k];
    __global const uint *own = sums + (size_t)i * SUMS;
    const uint marked = own[SIZE], n = marked & ~SHARED;
    const ulong shared = marked & SHARED ? IS_SHARED : 0;

    if (n == 0)
      continue;
    left[kept++] = i;
    nearest[i] = n < work.z ? NOTHING : 0;
    means[i] = mean_of(sum_of(own, 0), n) | mean_of(sum_of(own, 1), n) << 16 | mean_of(sum_of(own, 2), n) << 32 |
               (n < work.z ? IS_SMALL | shared : 0);
    n_small += n < work.z ? 1u : 0u;
  }
  if (kept < end)
    left[kept] = NONE;
  if (kept > start)
    atomic_add(totals + TOTALS * work.w + 1, kept - start);
  if (n_small > 0)
    atomic_add(totals + TOTALS * work.w + 2, n_small);
}

static inline ulong
distance_of(const ulong a, const ulong b)
{
  const int d0 = (int)(a & 0xffff) - (int)(b & 0xffff), d1 = (int)(a >> 16 & 0xffff) - (int)(b >> 16 & 0xffff),
            d2 = (int)(a >> 32 & 0xffff) - (int)(b >> 32 & 0xffff);

  return (ulong)((long)d0 * d0 + (long)d1 * d1 + (long)d2 * d2);
}

/* For devices that need two passes; see atomic-32.cl. */
__kernel void
settle_nearest(__global const uint2 *edges, __global const ulong *means, volatile __global NEAREST *nearest,
               const int4 image, const uint4 work)
{
  const uint start = (uint)get_global_id(0) * work.x, end = min(start + work.x, work.y);

  for (uint i = start; i < end && edges[i].x != edges[i].y; i++) {
    const uint2 edge = edges[i];
    const ulong distance = distance_of(means[edge.x], means[edge.y]) << LABEL_BITS;

    settle(nearest, edge.x, distance | (edge.y + 1));
    settle(nearest, edge.y, distance | (edge.x + 1));
  }
}

__kernel void
join_regions(__global const uint *left, __global const ulong *nearest, volatile __global uint *joined,
             const int4 image, const uint4 work)
{
  const uint start = (uint)get_global_id(0) * work.x, end = min(start + work.x, work.y);

  for (uint k = start; k < end && left[k] != NONE; k++) {
    const ulong found = nearest[left[k]];

    if (found != 0 && found != NOTHING)
      join(joined, left[k], ((uint)found & (((uint)1 << LABEL_BITS) - 1)) - 1);
  }
}

/* Adds the sums of regions that have joined others in this round. */
__kernel void
add_up_regions(__global const uint *left, volatile __global uint *joined, volatile __global uint *sums,
               const int4 image, const uint4 work)
{
  const uint start = (uint)get_global_id(0) * work.x, end = min(start + work.x, work.y);

  for (uint k = start; k < end && left[k] != NONE; k++) {
    const uint i = left[k];

    if (joined[i] == i)
      continue;

    const uint first = find_first(joined, i);
    volatile __global uint *own = sums + (size_t)i * SUMS, *into = sums + (size_t)first * SUMS;
    joined[i] = first;
    if (own[SIZE] & SHARED) { /* only on processors */
      atomic_or(into + SIZE, SHARED);
      own[SIZE] &= ~SHARED;
    }
    for (int k = 0; k < SUMS; k += 2)
      add_wide(into + k, (ulong)own[k + 1] << 32 | own[k]);
    own[SIZE] = 0;
  }
}

/* numbers: of the regions of @labels, their final labels */
__kernel void
replace_labels(__global uint *labels, __global const uint *numbers, const int4 image, const uint4 work)
{
  const uint start = (uint)get_global_id(0) * work.x, end = min(start + work.x, work.y);

  for (uint i = start; i < end; i++)
    labels[i] = numbers[labels[i] - 1];
}
