/* SPDX-License-Identifier: MIT */
/*
 * The first level that fits one sub-group folds all levels of it by the built-in reduction; the lower levels do
 * nothing.
 */
static bool
reduce_level(acc_t *mine, const uint s)
{
  const uint width = sub_group_width();

  if (2 * s > width)
    return false;
  if (2 * s == width)
    sub_group_fold(mine);
  return true;
}
