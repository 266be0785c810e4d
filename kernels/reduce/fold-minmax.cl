/* SPDX-License-Identifier: MIT */
/* The least and the greatest element in one pass. Lanes start from the far ends of the type, HIGHEST and LOWEST. */
#define WORDS 2
#define EACH_EXTREME(a, LOW, HIGH) LOW(0, (a).low) HIGH(1, (a).high)

typedef struct {
  vec_t low;
  vec_t high;
} lanes_t;

typedef struct {
  ELEM low;
  ELEM high;
} acc_t;

static void
lanes_begin(lanes_t *lanes)
{
  lanes->low = (vec_t)((ELEM)HIGHEST);
  lanes->high = (vec_t)((ELEM)LOWEST);
}

static void
lanes_fold(lanes_t *lanes, const vec_t v, const int at)
{
  lanes->low = LESSER(v, lanes->low);
  lanes->high = GREATER(v, lanes->high);
}

static acc_t
acc_none(void)
{
  acc_t none;

  none.low = (ELEM)HIGHEST;
  none.high = (ELEM)LOWEST;
  return none;
}

static acc_t
acc_merge(acc_t a, const acc_t b)
{
  a.low = LESSER(b.low, a.low);
  a.high = GREATER(b.high, a.high);
  return a;
}

static acc_t
acc_of(const ELEM x, const int at)
{
  acc_t one = acc_none();

  one.low = LESSER(x, one.low);
  one.high = GREATER(x, one.high);
  return one;
}

#define TAKE_LANE(lane, number)                 \
  all.low = LESSER(lanes->low lane, all.low);   \
  all.high = GREATER(lanes->high lane, all.high);

static acc_t
lanes_end(const lanes_t *lanes)
{
  acc_t all = acc_none();

  EACH_LANE(TAKE_LANE)
  return all;
}

static void
acc_put(const acc_t acc, ulong *words)
{
  words[0] = TO_WORD(acc.low);
  words[1] = TO_WORD(acc.high);
}

static acc_t
acc_get(const ulong *words)
{
  acc_t acc;

  acc.low = FROM_WORD(ELEM, words[0]);
  acc.high = FROM_WORD(ELEM, words[1]);
  return acc;
}
