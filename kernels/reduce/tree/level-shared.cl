/* SPDX-License-Identifier: MIT */
/* One level of a tree, all partials in local memory: the lowest `s` of the active work-items fold the `ways` parts. */
static void
level_begin(const partial_t *mine, __local partial_t *scratch)
{
  scratch[TREE_ITEM] = *mine;
}

static void
level_fold(partial_t *mine, const uint s, const uint ways, __local partial_t *scratch)
{
  const uint item = TREE_ITEM;

  LEVEL_FENCE(ways * s);
  if (item >= s)
    return;
  for (uint k = 1; k < ways; k++) {
    const partial_t other = scratch[item + k * s];
    partial_merge(mine, &other);
  }
  scratch[item] = *mine;
}
