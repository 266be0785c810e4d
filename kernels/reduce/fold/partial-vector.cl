/* SPDX-License-Identifier: MIT */
/*
 * The partial that the tree folds: the vectors of a work-item [MM], stored whole in local memory; the lanes are folded
 * once, after the tree. Twin of partial-scalar.cl.
 */
typedef lanes_t partial_t;

static void
partial_of_lanes(const lanes_t *lanes, partial_t *partial)
{
  *partial = *lanes;
}

static void
partial_of_acc(const acc_t *acc, partial_t *partial)
{
  lanes_begin(partial);
  lanes_take(partial, acc);
}

static void
partial_add(partial_t *partial, const ELEM x, const int at, const ELEM centre)
{
  acc_t one;

  acc_begin(&one);
  acc_add(&one, x, at, centre);
  lanes_take(partial, &one);
}

static void
partial_merge(partial_t *a, const partial_t *b)
{
  lanes_merge(a, b);
}

static void
acc_of_partial(const partial_t *partial, acc_t *acc)
{
  lanes_end(partial, acc);
}
