/* SPDX-License-Identifier: MIT */
/*
 * The least and the greatest element and where each stands first, in one pass. A lane meets its elements in ascending
 * order, so it keeps the first of equals; between lanes the lower position wins. A lane that has met no number yet holds
 * the position -1: then an element equal to the starting value counts too.
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
lanes_fold(lanes_t *lanes, const vec_t v, const int at)
{
  const VECTOR(int) lower = CONVERT(int)(v < lanes->low) | ((lanes->low_at < 0) & CONVERT(int)(v <= lanes->low));
  const VECTOR(int) higher = CONVERT(int)(v > lanes->high) | ((lanes->high_at < 0) & CONVERT(int)(v >= lanes->high));

  lanes->low = LESSER(v, lanes->low);
  lanes->high = GREATER(v, lanes->high);
  lanes->low_at = lower ? (VECTOR(int))(at) : lanes->low_at;
  lanes->high_at = higher ? (VECTOR(int))(at) : lanes->high_at;
}

static acc_t
acc_none(void)
{
  acc_t none;

  none.low = (ELEM)HIGHEST;
  none.high = (ELEM)LOWEST;
  none.low_at = NOWHERE;
  none.high_at = NOWHERE;
  return none;
}

static acc_t
acc_merge(acc_t a, const acc_t b)
{
  const bool lower = b.low < a.low || (b.low == a.low && b.low_at < a.low_at);
  const bool higher = b.high > a.high || (b.high == a.high && b.high_at < a.high_at);

  a.low = lower ? b.low : a.low;
  a.low_at = lower ? b.low_at : a.low_at;
  a.high = higher ? b.high : a.high;
  a.high_at = higher ? b.high_at : a.high_at;
  return a;
}

static acc_t
acc_of(const ELEM x, const int at)
{
  acc_t one = acc_none();

  if (x == x) {
    one.low = one.high = x;
    one.low_at = one.high_at = (uint)at;
  }
  return one;
}

#define TAKE_LANE(lane, number)                                                              \
  one.low = lanes->low lane;                                                                 \
  one.high = lanes->high lane;                                                               \
  one.low_at = lanes->low_at lane < 0 ? NOWHERE : (uint)(lanes->low_at lane) * WIDTH + number;    \
  one.high_at = lanes->high_at lane < 0 ? NOWHERE : (uint)(lanes->high_at lane) * WIDTH + number; \
  all = acc_merge(all, one);

static acc_t
lanes_end(const lanes_t *lanes)
{
  acc_t all = acc_none(), one;

  EACH_LANE(TAKE_LANE)
  return all;
}

static void
acc_put(const acc_t acc, ulong *words)
{
  words[0] = TO_WORD(acc.low);
  words[1] = TO_WORD(acc.high);
  words[2] = acc.low_at;
  words[3] = acc.high_at;
}

static acc_t
acc_get(const ulong *words)
{
  acc_t acc;

  acc.low = FROM_WORD(ELEM, words[0]);
  acc.high = FROM_WORD(ELEM, words[1]);
  acc.low_at = (uint)words[2];
  acc.high_at = (uint)words[3];
  return acc;
}
