/* SPDX-License-Identifier: MIT */
/* A recursive launch: folds `n` partials, `times` for each work-item, into one partial for each group. */
static void
merge_partial(acc_t *mine, __global const ulong *partials, const int i)
{
  ulong words[WORDS];
  acc_t other;

  for (int k = 0; k < WORDS; k++)
    words[k] = partials[i * WORDS + k];
  acc_get(&other, words);
  acc_merge(mine, &other);
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
reduce_partials(__global const ulong *restrict partials, const int n, const int times, __global uint *out,
                __global const ushort *restrict map, __local partial_t *scratch, __local uint *flag)
{
  const int first = (int)get_group_id(0) * GROUP * times, end = min(first + GROUP * times, n);
  partial_t partial;
  acc_t mine;

  acc_begin(&mine);
  for (int i = first + (int)WORK_OF_ITEM(map); i < end; i += GROUP)
    merge_partial(&mine, partials, i);
  partial_of_acc(&mine, &partial);
  group_fold(&partial, scratch, map);
  acc_of_partial(&partial, &mine);
  finish(&mine, scratch, flag, out, map);
}
