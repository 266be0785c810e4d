/* SPDX-License-Identifier: MIT */
/*
 * The tree of neighbouring work-items: at each level the first half of the active ones folds the second half (WAYS is
 * 2), or, as [MM] proposes, the first quarter folds the others (WAYS is 4), so that there are half as many levels and
 * fences; then the last level of a group of 2, 8, 32, ... work-items folds two.
 */
static void
group_fold(partial_t *mine, __local partial_t *scratch, __global const ushort *map)
{
  uint active = GROUP;

  level_begin(mine, scratch);
  while (active > 1) {
    const uint ways = active > 2 ? WAYS : 2;
    active /= ways;
    level_fold(mine, active, ways, scratch);
  }
}
