/* SPDX-License-Identifier: MIT */
/*
 * The example of the branch study [BD]: three branches on the index of the work, over two arrays. WORK_OF_ITEM gives
 * the work that an item does. No product is added to a sum, so results equal the serial ones without contraction.
 */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
swap_example(__global const float *restrict a, __global const float *restrict b, __global float *restrict result,
             const uint n, __global const ushort *restrict map)
{
  const uint work = WORK_OF_ITEM(map);
  const uint i = (uint)get_group_id(0) * GROUP + work;

  if (i >= n)
    return;
  if (work % 4 == 0)
    result[i] = a[i] * b[i];
  else if (work % 2 == 0)
    result[i] = a[i] + b[i];
  else
    result[i] = a[i] - b[i];
}
