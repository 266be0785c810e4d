/* SPDX-License-Identifier: MIT */
/* A sub-group's partials by the built-in reductions. The plan names one of the two as REDUCE. */
#define REDUCE_SUMS(mine)         \
  for (int k = 0; k < WORDS; k++) \
    mine->t[k] = sub_group_reduce_add(mine->t[k]);

/* WIDE is a type of at least 32 bits. */
#define LEAST_OF_SUB_GROUP(k, x) x = (ELEM)sub_group_reduce_min((WIDE)(x));
#define GREATEST_OF_SUB_GROUP(k, x) x = (ELEM)sub_group_reduce_max((WIDE)(x));
#define REDUCE_EXTREMES(mine) EACH_EXTREME(mine, LEAST_OF_SUB_GROUP, GREATEST_OF_SUB_GROUP)

static void
sub_group_fold(acc_t *mine)
{
  REDUCE(mine)
}
