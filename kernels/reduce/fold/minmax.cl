/* SPDX-License-Identifier: MIT */
/* The least and the greatest element in one pass, lane by lane. */
typedef struct {
  vec_t low;
  vec_t high;
} lanes_t;

static void
lanes_begin(lanes_t *lanes)
{
  lanes->low = (vec_t)((ELEM)HIGHEST);
  lanes->high = (vec_t)((ELEM)LOWEST);
}

static void
lanes_fold(lanes_t *lanes, const vec_t v, const int at, const ELEM centre)
{
  lanes->low = LESSER(v, lanes->low);
  lanes->high = GREATER(v, lanes->high);
}

static void
lanes_merge(lanes_t *a, const lanes_t *b)
{
  a->low = LESSER(b->low, a->low);
  a->high = GREATER(b->high, a->high);
}

static void
lanes_take(lanes_t *lanes, const acc_t *acc)
{
  lanes->low = LESSER((vec_t)(acc->low), lanes->low);
  lanes->high = GREATER((vec_t)(acc->high), lanes->high);
}

#define TAKE_LANE(lane, number) \
  all->low = LESSER(lanes->low lane, all->low); \
  all->high = GREATER(lanes->high lane, all->high);

static void
lanes_end(const lanes_t *lanes, acc_t *all)
{
  acc_begin(all);
  EACH_LANE(TAKE_LANE)
}
