/* SPDX-License-Identifier: MIT */
/*
 * One level of a tree: the lowest `s` of the active work-items fold the `ways` parts. Where SAVES_CONFLICTS is 0, all
 * partials are in local memory. Where it is 1, only the upper parts write theirs [MM], which causes fewer bank
 * conflicts: the lowest part keeps its own in registers, the first level starts at the first slot, so that local memory
 * holds the upper parts alone, and a slot that a level writes was read, if at all, by the work-item that writes it, so
 * that one fence a level is enough.
 */
static void
level_begin(const partial_t *mine, __local partial_t *scratch)
{
  if (!SAVES_CONFLICTS)
    scratch[TREE_ITEM] = *mine;
}

/*
 * Clang inlines it: where Mesa 25 inlines a function that a loop with a barrier calls, and that calls others, its
 * llvmpipe ends the process.
 */
static __attribute__((always_inline)) void
level_fold(partial_t *mine, const uint s, const uint ways, __local partial_t *scratch)
{
  const uint item = TREE_ITEM, offset = SAVES_CONFLICTS && ways * s == GROUP ? s : 0;

  if (SAVES_CONFLICTS && item >= s && item < ways * s)
    scratch[item - offset] = *mine;
  LEVEL_FENCE(ways * s);
  if (item >= s)
    return;
  for (uint k = 1; k < ways; k++) {
    const partial_t other = scratch[item + k * s - offset];
    partial_merge(mine, &other);
  }
  if (!SAVES_CONFLICTS)
    scratch[item] = *mine;
}
