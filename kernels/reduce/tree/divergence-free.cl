/* SPDX-License-Identifier: MIT */
/* The tree of neighbouring work-items: at each level the first half of the active ones folds the second half. */
static void
group_fold(partial_t *mine, __local partial_t *scratch, __global const ushort *map)
{
  level_begin(mine, scratch);
  for (uint s = GROUP / 2; s > 0; s /= 2)
    level_fold(mine, s, 2, scratch);
}
