/* SPDX-License-Identifier: MIT */
/*
 * One level of a tree with fewer bank conflicts [MM]: only the upper parts write their partials, the lowest part, `s`
 * work-items, keeps its own in registers and folds the others. The first level starts at the first slot, so that local
 * memory holds the upper parts alone. A slot that a level writes was read, if at all, by the work-item that writes it,
 * so one fence a level is enough.
 */
static void
level_begin(const partial_t *mine, __local partial_t *scratch)
{
}

static void
level_fold(partial_t *mine, const uint s, const uint ways, __local partial_t *scratch)
{
  const uint item = TREE_ITEM, offset = ways * s == GROUP ? s : 0;

  if (item >= s && item < ways * s)
    scratch[item - offset] = *mine;
  LEVEL_FENCE(ways * s);
  for (uint k = 1; k < ways && item < s; k++) {
    const partial_t other = scratch[item + k * s - offset];
    partial_merge(mine, &other);
  }
}
