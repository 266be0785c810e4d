/* SPDX-License-Identifier: MIT */
/*
 * Squares of elements of 8 and 16 bits, and the elements themselves where they are a term as well: each load is summed
 * first, its elements in 32 bits and its squares in SQUARE, which holds sixteen of them. Sums lane by lane would take
 * twice the registers that a work-item of the largest groups has, and half as many groups would fit. Twin of add.cl.
 */
typedef acc_t lanes_t;

static void
lanes_begin(lanes_t *lanes)
{
  acc_begin(lanes);
}

#define FOLD_LANE(lane, number)             \
  {                                         \
    const SQUARE wide_ = (SQUARE)(v lane);  \
    sum += (int)(v lane);                   \
    squares += wide_ * wide_;               \
  }

static void
lanes_fold(lanes_t *lanes, const vec_t v, const int at, const ELEM centre)
{
  int sum = 0;
  SQUARE squares = 0;

  EACH_LANE(FOLD_LANE)
  lanes->t[TERMS - 1] += (TOTAL)squares;
  if (TERMS > 1)
    lanes->t[0] += (TOTAL)sum;
}

static void
lanes_end(const lanes_t *lanes, acc_t *all)
{
  *all = *lanes;
}
