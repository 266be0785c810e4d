/* SPDX-License-Identifier: MIT */
/*
 * Sums of regions: SUMS numbers a region, its sums of three channels and its pixels, as numbers of 64 bits that several
 * work-items add to: two of 32 bits, the lower half first; see add_wide() in atomic-32.cl and atomic-64.cl. Where
 * SUMS is 4, the picture is so small that no sum exceeds 32 bits, and one addition of 64 bits changes two sums.
 */
#define PACKED (SUMS == 4)

/* Where the number of pixels is, to which mark_shared() and add_up_regions() add the bit SHARED. */
#define SIZE (PACKED ? 3 : 6)

/* Bits of a label in a number that is offered, and what is larger than any. */
#define LABEL_BITS 30
#define NOTHING 0xffffffffffffffffUL

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

static inline ulong
sum_of(__global const uint *own, const int channel)
{
  return PACKED ? own[channel] : wide(own + 2 * channel);
}

static inline void
add_run_of(volatile __global uint *own, const uint4 run)
{
  if (PACKED) {
    add_wide(own, (ulong)run.y << 32 | run.x);
    add_wide(own + 2, (ulong)run.w << 32 | run.z);
    return;
  }
  add_wide(own, run.x);
  add_wide(own + 2, run.y);
  add_wide(own + 4, run.z);
  add_wide(own + 6, run.w);
}

/* add_run_of() where no other work-item adds to the region. */
static inline void
add_run_alone(__global uint *own, const uint4 run)
{
  if (PACKED) {
    vstore4(vload4(0, own) + run, 0, own);
    return;
  }
  add_alone(own, run.x);
  add_alone(own + 2, run.y);
  add_alone(own + 4, run.z);
  add_alone(own + 6, run.w);
}
