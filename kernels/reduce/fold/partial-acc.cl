/* SPDX-License-Identifier: MIT */
/* What the tree folds: the accumulator of a work-item, in which its lanes are folded already. */
typedef acc_t partial_t;

static void
partial_merge(partial_t *a, const partial_t *b)
{
  acc_merge(a, b);
}

static void
acc_of_partial(const partial_t *partial, acc_t *acc)
{
  *acc = *partial;
}
