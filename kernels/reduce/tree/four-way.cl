/* SPDX-License-Identifier: MIT */
/*
 * The tree of four branches that [MM] proposes: each level folds four partials into one, so there are half as many
 * levels, and fences, as in the binary tree. The last level of a group of 2, 8, 32, ... work-items folds two.
 */
static void
group_fold(partial_t *mine, __local partial_t *scratch, __global const ushort *map)
{
  uint active = GROUP;

  level_begin(mine, scratch);
  while (active > 1) {
    const uint ways = active > 2 ? 4 : 2;
    active /= ways;
    level_fold(mine, active, ways, scratch);
  }
}
