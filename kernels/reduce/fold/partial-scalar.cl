/* SPDX-License-Identifier: MIT */
/* The partial that the tree folds: the accumulator of a work-item. */
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
