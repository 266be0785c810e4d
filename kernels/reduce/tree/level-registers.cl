/* SPDX-License-Identifier: MIT */
/*
 * One level of a tree with fewer bank conflicts [MM]: only the upper half writes its partial, the lower half keeps its
 * own in registers. Levels use different slots of local memory, s to 2s-1, so one fence a level is enough.
 */
static void
level_begin(const acc_t *mine, __local acc_t *scratch)
{
}

static void
level_fold(acc_t *mine, const uint s, __local acc_t *scratch)
{
  const uint item = get_local_id(0);

  if (item >= s && item < 2 * s)
    scratch[item] = *mine;
  LEVEL_FENCE(s);
  if (item < s) {
    const acc_t other = scratch[item + s];
    acc_merge(mine, &other);
  }
}
