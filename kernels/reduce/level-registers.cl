/* SPDX-License-Identifier: MIT */
/*
 * One level of a tree with fewer bank conflicts [MM]: only the upper half writes its partial, the lower half keeps its own
 * in registers. Levels use different slots of local memory, s to 2s-1, so one fence a level is enough.
 */
static acc_t
level_begin(const acc_t mine, __local acc_t *scratch)
{
  return mine;
}

static acc_t
level_fold(acc_t mine, const uint s, __local acc_t *scratch)
{
  const uint item = get_local_id(0);

  if (item >= s && item < 2 * s)
    scratch[item] = mine;
  LEVEL_FENCE(s);
  if (item < s)
    mine = acc_merge(mine, scratch[item + s]);
  return mine;
}
