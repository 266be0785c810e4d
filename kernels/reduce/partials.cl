/* SPDX-License-Identifier: MIT */
/* Recursive launches: folds `n` partials, `times` for each work-item, into one for each group. */
static acc_t
partial_at(__global const ulong *partials, const int i)
{
  ulong words[WORDS];

  for (int k = 0; k < WORDS; k++)
    words[k] = partials[i * WORDS + k];
  return acc_get(words);
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
reduce_partials(__global const ulong *restrict partials, const int n, const int times, __global uint *restrict out,
                __global const ushort *restrict map, __local acc_t *restrict scratch, __local uint *restrict flag)
{
  const int first = (int)get_group_id(0) * GROUP * times, end = min(first + GROUP * times, n);
  acc_t mine = acc_none();

  for (int i = first + (int)WORK_OF_ITEM(map); i < end; i += GROUP)
    mine = acc_merge(mine, partial_at(partials, i));
  finish(group_fold(mine, scratch, map), scratch, flag, out, map);
}
