/* SPDX-License-Identifier: MIT */
/* The partial that the tree folds: the accumulator of a work-item, whose lanes have been folded. */
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
