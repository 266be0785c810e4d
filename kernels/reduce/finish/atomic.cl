/* SPDX-License-Identifier: MIT */
/* Between groups: each group folds its partial into the result by atomics. */
static void
finish(const acc_t *mine, __local partial_t *scratch, __local uint *flag, __global uint *out,
       __global const ushort *map)
{
  if (TREE_ITEM == 0)
    atomic_merge(out, mine);
}
