/* SPDX-License-Identifier: MIT */
/*
 * 256 bins for each of R, G, B, A and luma in one pass: COPIES sub-histograms in local memory, then one atomic addition
 * for each bin that is not empty. Luma is in integers: (299 R + 587 G + 114 B + 500) / 1000. The plan names two of the
 * first four macros as COUNT and COPY_OF.
 */

/* Work-items of a group share the bins, so counting is atomic; neighbours use different copies, on different banks. */
#define COUNT_ATOMIC(bin) atomic_inc(bin)
#define COPY_OF_ITEM(lane) ((int)get_local_id(0) % COPIES)
/*
 * One work-item a group counts without atomics; the pixels of a load use different copies, so their increments are
 * independent.
 */
#define COUNT_PLAIN(bin) ((*(bin))++)
#define COPY_OF_LANE(lane) ((lane) % COPIES)

#define BINS (5 * 256)
/* Eight more than the bins, so that a bin's copies are on different banks. */
#define COPY_STRIDE (BINS + 8)

static void
count_pixel(__local uint *bins, const uint r, const uint g, const uint b, const uint a)
{
  COUNT(bins + r);
  COUNT(bins + 256 + g);
  COUNT(bins + 512 + b);
  COUNT(bins + 768 + a);
  COUNT(bins + 1024 + (299u * r + 587u * g + 114u * b + 500u) / 1000u);
}

static void
count_four(__local uint *bins, const uchar16 p)
{
  count_pixel(bins + COPY_OF(0) * COPY_STRIDE, p.s0, p.s1, p.s2, p.s3);
  count_pixel(bins + COPY_OF(1) * COPY_STRIDE, p.s4, p.s5, p.s6, p.s7);
  count_pixel(bins + COPY_OF(2) * COPY_STRIDE, p.s8, p.s9, p.sa, p.sb);
  count_pixel(bins + COPY_OF(3) * COPY_STRIDE, p.sc, p.sd, p.se, p.sf);
}

static void
count_range(__global const uchar16 *fours, const int3 range, __local uint *bins)
{
  int i = range.x;

  for (; i + range.y < range.z; i += 2 * range.y) {
    const uchar16 a = fours[i], b = fours[i + range.y];
    count_four(bins, a);
    count_four(bins, b);
  }
  if (i < range.z)
    count_four(bins, fours[i]);
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
histogram(__global const uchar4 *restrict pixels, const int n, const int times, volatile __global uint *counts,
          __local uint *bins)
{
  const int item = get_local_id(0);
  const int rest = n / 4 * 4 + (int)get_global_id(0);

  for (int i = item; i < COPIES * COPY_STRIDE; i += GROUP)
    bins[i] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  count_range((__global const uchar16 *)pixels, ITEM_RANGE((uint)item, 0, n / 4, times), bins);
  for (int i = rest; i < n; i += (int)get_global_size(0)) {
    const uchar4 p = pixels[i];
    count_pixel(bins + COPY_OF(0) * COPY_STRIDE, p.x, p.y, p.z, p.w);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = item; i < BINS; i += GROUP) {
    uint sum = 0;
    for (int copy = 0; copy < COPIES; copy++)
      sum += bins[copy * COPY_STRIDE + i];
    if (sum > 0)
      atomic_add(counts + i, sum);
  }
}
