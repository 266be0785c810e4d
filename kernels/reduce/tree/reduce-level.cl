/* SPDX-License-Identifier: MIT */
/* All levels of the tree within one sub-group at once; the others of them have nothing left to do. */
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
