/* SPDX-License-Identifier: MIT */
/* Reads an array once and folds it by exclusive or; the store keeps the compiler from removing the loads. */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
bandwidth_read(__global const vec_t *restrict source, const int n, const int times, __global uint *out)
{
  const int3 range = ITEM_RANGE((uint)get_local_id(0), 0, n, times);
  const int step = range.y;
  vec_t a = (vec_t)(0), b = a, c = a, d = a;
  uint folded = 0;
  int i = range.x;

  for (; i + 3 * step < range.z; i += 4 * step) {
    a ^= source[i];
    b ^= source[i + step];
    c ^= source[i + 2 * step];
    d ^= source[i + 3 * step];
  }
  for (; i < range.z; i += step)
    a ^= source[i];
  a ^= b ^ c ^ d;
#define FOLD_LANE(lane, number) folded ^= a lane;
  EACH_LANE(FOLD_LANE)
  if (folded == 0x9e3779b9u)
    out[get_global_id(0)] = folded;
}

/* Copies an array once. */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
bandwidth_copy(__global const vec_t *restrict source, const int n, const int times, __global vec_t *restrict out)
{
  const int3 range = ITEM_RANGE((uint)get_local_id(0), 0, n, times);
  const int step = range.y;
  int i = range.x;

  for (; i + 3 * step < range.z; i += 4 * step) {
    const vec_t a = source[i], b = source[i + step], c = source[i + 2 * step], d = source[i + 3 * step];
    out[i] = a;
    out[i + step] = b;
    out[i + 2 * step] = c;
    out[i + 3 * step] = d;
  }
  for (; i < range.z; i += step)
    out[i] = source[i];
}
