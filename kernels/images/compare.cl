/* SPDX-License-Identifier: MIT */
/* Compares two images; an incomplete last load is padded with equal pixels. */
static uchar16
load_part(__global const uchar4 *pixels, const int first, const int n)
{
  const uchar4 none = (uchar4)(0);
  const uchar4 a = first < n ? pixels[first] : none, b = first + 1 < n ? pixels[first + 1] : none;
  const uchar4 c = first + 2 < n ? pixels[first + 2] : none;

  return (uchar16)(a, b, c, none);
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
compare_images(__global const uchar4 *restrict a, __global const uchar4 *restrict b, const int n, const int times,
               __global uint *out, __global const ushort *restrict map, __local acc_t *scratch,
               __local uint *flag)
{
  const int3 range = ITEM_RANGE((uint)get_local_id(0), 0, n / 4, times);
  lanes_t lanes = {(uint16)(0), (uint16)(0), (int4)(0), (uchar16)(0)};
  int fours = 0;
  acc_t mine;

  for (int i = range.x; i < range.z; i += range.y, fours++)
    lanes_fold(&lanes, ((__global const uchar16 *)a)[i], ((__global const uchar16 *)b)[i]);
  if (get_global_id(0) == 0 && n % 4 != 0) {
    lanes_fold(&lanes, load_part(a, n / 4 * 4, n), load_part(b, n / 4 * 4, n));
    fours++;
  }
  lanes_end(&lanes, fours, &mine);
  group_fold(&mine, scratch, map);
  finish(&mine, scratch, flag, out, map);
}
