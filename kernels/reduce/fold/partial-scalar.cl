/* SPDX-License-Identifier: MIT */
/* What the tree folds: the accumulator of a work-item, in which its lanes are folded already. */
typedef acc_t partial_t;

static void
partial_of_lanes(const lanes_t *lanes, partial_t *partial)
{
  lanes_end(lanes, partial);
}

static void
partial_of_acc(const acc_t *acc, partial_t *partial)
{
  *partial = *acc;
}

static void
partial_add(partial_t *partial, const ELEM x, const int at, const ELEM centre)
{
  acc_add(partial, x, at, centre);
}

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
