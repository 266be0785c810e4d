/* SPDX-License-Identifier: MIT */
/* Extremes of a sub-group by the built-in reductions, in WIDE, a type of at least 32 bits. */
#define LEAST_OF_SUB_GROUP(k, x) x = (ELEM)sub_group_reduce_min((WIDE)(x));
#define GREATEST_OF_SUB_GROUP(k, x) x = (ELEM)sub_group_reduce_max((WIDE)(x));

static void
sub_group_fold(acc_t *mine)
{
  EACH_EXTREME(mine, LEAST_OF_SUB_GROUP, GREATEST_OF_SUB_GROUP)
}
