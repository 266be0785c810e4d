/* SPDX-License-Identifier: MIT */
/*
 * Reads a working set of `blocks` blocks over and over, `steps` blocks in each group. The groups begin `stride` blocks
 * apart, so that a block that groups share is read again after about the bytes of the set. The sums keep the compiler
 * from leaving out loads, and are compared with the host's.
 */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
memory_walk(SET_SPACE const vec_t *restrict set, const int blocks, const int stride, const int steps,
            __local vec_t *room, __global vec_t *sums)
{
  const int item = (int)get_local_id(0);
  vec_t a = (vec_t)(0), b = a, c = a, d = a;
  int block = (int)get_group_id(0) * stride % blocks, left = steps;

  OPEN_SET
  while (left > 0) {
    const int end = min(blocks, block + left);
    int i = block;

    for (; i + 3 < end; i += 4) {
      a += LOAD(i);
      b += LOAD(i + 1);
      c += LOAD(i + 2);
      d += LOAD(i + 3);
    }
    for (; i < end; i++)
      a += LOAD(i);
    left -= end - block;
    block = 0;
  }
  sums[get_global_id(0)] = a + b + c + d;
}
