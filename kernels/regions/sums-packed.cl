/* SPDX-License-Identifier: MIT */
/*
 * Sums of regions of a picture so small that no sum exceeds 32 bits: SUMS numbers a region, its sums of three channels
 * and its pixels, two of which one addition of 64 bits changes. Twin of sums-wide.cl.
 */
#define SUMS 4

/* Where the number of pixels is, to which mark_shared() and add_up_regions() add the bit SHARED. */
#define SIZE 3

static inline ulong
sum_of(__global const uint *own, const int channel)
{
  return own[channel];
}

static inline void
add_run_of(volatile __global uint *own, const uint4 run)
{
  add_wide(own, (ulong)run.y << 32 | run.x);
  add_wide(own + 2, (ulong)run.w << 32 | run.z);
}

/* add_run_of() where no other work-item adds to the region. */
static inline void
add_run_alone(__global uint *own, const uint4 run)
{
  vstore4(vload4(0, own) + run, 0, own);
}
