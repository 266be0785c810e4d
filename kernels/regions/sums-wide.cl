/* SPDX-License-Identifier: MIT */
/*
 * Sums of regions of any picture: SUMS numbers a region, its sums of three channels and its pixels, of 64 bits each as
 * in wide.cl. Twin of sums-packed.cl.
 */
#define SUMS 8

/* Where the number of pixels is, to which mark_shared() and add_up_regions() add the bit SHARED. */
#define SIZE 6

static inline ulong
sum_of(__global const uint *own, const int channel)
{
  return wide(own + 2 * channel);
}

static inline void
add_run_of(volatile __global uint *own, const uint4 run)
{
  add_wide(own, run.x);
  add_wide(own + 2, run.y);
  add_wide(own + 4, run.z);
  add_wide(own + 6, run.w);
}

/* add_run_of() where no other work-item adds to the region. */
static inline void
add_run_alone(__global uint *own, const uint4 run)
{
  add_alone(own, run.x);
  add_alone(own + 2, run.y);
  add_alone(own + 4, run.z);
  add_alone(own + 6, run.w);
}
