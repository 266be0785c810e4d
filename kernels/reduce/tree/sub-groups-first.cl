/* SPDX-License-Identifier: MIT */
/*
 * The tree for processors: every sub-group folds its partials, then one work-item folds those of the sub-groups. All
 * work-items pass the same barriers, under no condition. PoCL exchanges values within a sub-group by barriers of the
 * work-group, and its older work-item loops copy what follows a barrier under a condition once for each way to reach
 * it: the levels of completely-unroll.cl, each with two such barriers, would become thousands of copies. Twin of
 * completely-unroll.cl.
 */
static void
group_fold(partial_t *mine, __local partial_t *scratch, __global const ushort *map)
{
  const uint sub_groups = get_num_sub_groups();

  sub_group_fold(mine);
  if (get_sub_group_local_id() == 0)
    scratch[get_sub_group_id()] = *mine;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (TREE_ITEM != 0)
    return;
  *mine = scratch[0];
  for (uint k = 1; k < sub_groups; k++) {
    const partial_t other = scratch[k];
    partial_merge(mine, &other);
  }
}
