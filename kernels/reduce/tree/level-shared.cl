/* SPDX-License-Identifier: MIT */
/* One level of a tree, all partials in local memory: the lower half folds the upper half. */
static void
level_begin(const acc_t *mine, __local acc_t *scratch)
{
  scratch[get_local_id(0)] = *mine;
}

static void
level_fold(acc_t *mine, const uint s, __local acc_t *scratch)
{
  const uint item = get_local_id(0);

  LEVEL_FENCE(s);
  if (item < s) {
    const acc_t other = scratch[item + s];
    acc_merge(mine, &other);
    scratch[item] = *mine;
  }
}
