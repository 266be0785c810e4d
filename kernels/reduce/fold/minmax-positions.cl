/* SPDX-License-Identifier: MIT */
/*
 * The least and the greatest element and the first position of each, in one pass. A lane reads its elements in
 * ascending order, so it keeps the first of equal ones; between lanes the lower position is taken. A lane that has read
 * no number yet holds the position -1, so that an element equal to the starting value is taken as well.
 */
#define WORDS 4
#define NOWHERE 0xffffffffu

typedef struct {
  vec_t low;
  vec_t high;
  VECTOR(int) low_at;
  VECTOR(int) high_at;
} lanes_t;

typedef struct {
  ELEM low;
  ELEM high;
  uint low_at;
  uint high_at;
} acc_t;

static void
lanes_begin(lanes_t *lanes)
{
  lanes->low = (vec_t)((ELEM)HIGHEST);
  lanes->high = (vec_t)((ELEM)LOWEST);
  lanes->low_at = (VECTOR(int))(-1);
  lanes->high_at = (VECTOR(int))(-1);
}

static void
lanes_fold(lanes_t *lanes, const vec_t v, const int at, const ELEM centre)
{
  const VECTOR(int) lower = CONVERT(int)(v < lanes->low) | ((lanes->low_at < 0) & CONVERT(int)(v <= lanes->low));
  const VECTOR(int) higher = CONVERT(int)(v > lanes->high) | ((lanes->high_at < 0) & CONVERT(int)(v >= lanes->high));

  lanes->low = LESSER(v, lanes->low);
  lanes->high = GREATER(v, lanes->high);
  lanes->low_at = lower ? (VECTOR(int))(at) : lanes->low_at;
  lanes->high_at = higher ? (VECTOR(int))(at) : lanes->high_at;
}

static void
acc_begin(acc_t *acc)
{
  acc->low = (ELEM)HIGHEST;
  acc->high = (ELEM)LOWEST;
  acc->low_at = NOWHERE;
  acc->high_at = NOWHERE;
}

static void
acc_merge(acc_t *a, const acc_t *b)
{
  if (b->low < a->low || (b->low == a->low && b->low_at < a->low_at)) {
    a->low = b->low;
    a->low_at = b->low_at;
  }
  if (b->high > a->high || (b->high == a->high && b->high_at < a->high_at)) {
    a->high = b->high;
    a->high_at = b->high_at;
  }
}

/* A NaN is unequal to itself and is left out. Two fields are compared: compilers warn of x == x for integers. */
static void
acc_add(acc_t *acc, const ELEM x, const int at, const ELEM centre)
{
  const acc_t one = {x, x, (uint)at, (uint)at};

  if (one.low == one.high)
    acc_merge(acc, &one);
}

#define TAKE_LANE(lane, number)                                                                   \
  one.low = lanes->low lane;                                                                      \
  one.high = lanes->high lane;                                                                    \
  one.low_at = lanes->low_at lane < 0 ? NOWHERE : (uint)(lanes->low_at lane) * WIDTH + number;    \
  one.high_at = lanes->high_at lane < 0 ? NOWHERE : (uint)(lanes->high_at lane) * WIDTH + number; \
  acc_merge(all, &one);

static void
lanes_end(const lanes_t *lanes, acc_t *all)
{
  acc_t one;

  acc_begin(all);
  EACH_LANE(TAKE_LANE)
}

static void
acc_put(const acc_t *acc, ulong *words)
{
  words[0] = TO_WORD(acc->low);
  words[1] = TO_WORD(acc->high);
  words[2] = acc->low_at;
  words[3] = acc->high_at;
}

static void
acc_get(acc_t *acc, const ulong *words)
{
  acc->low = FROM_WORD(ELEM, words[0]);
  acc->high = FROM_WORD(ELEM, words[1]);
  acc->low_at = (uint)words[2];
  acc->high_at = (uint)words[3];
}
