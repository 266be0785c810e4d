/* SPDX-License-Identifier: MIT */
/* Sums of a sub-group by the built-in reduction. */
static void
sub_group_fold(acc_t *mine)
{
  for (int k = 0; k < WORDS; k++)
    mine->t[k] = sub_group_reduce_add(mine->t[k]);
}
