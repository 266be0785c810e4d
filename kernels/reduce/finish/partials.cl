/* SPDX-License-Identifier: MIT */
/* Between groups: each group stores its partial in global memory; another launch or the host folds the partials. */
static void
finish(const acc_t *mine, __local partial_t *scratch, __local uint *flag, __global uint *out,
       __global const ushort *map)
{
  ulong words[WORDS];

  if (TREE_ITEM != 0)
    return;
  acc_put(mine, words);
  for (int k = 0; k < WORDS; k++)
    ((__global ulong *)out)[get_group_id(0) * WORDS + k] = words[k];
}
