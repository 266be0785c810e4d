/* SPDX-License-Identifier: MIT */
/* One level of a tree, all partials in local memory: the lower half folds the upper half. */
static acc_t
level_begin(const acc_t mine, __local acc_t *scratch)
{
  scratch[get_local_id(0)] = mine;
  return mine;
}

static acc_t
level_fold(acc_t mine, const uint s, __local acc_t *scratch)
{
  const uint item = get_local_id(0);

  LEVEL_FENCE(s);
  if (item < s) {
    mine = acc_merge(scratch[item], scratch[item + s]);
    scratch[item] = mine;
  }
  return mine;
}
