/* SPDX-License-Identifier: MIT */
/* The greatest of the elements. Every lane starts from LOWEST, which the plan sets to the far end of the type. */
#define WORDS 1
#define EACH_EXTREME(a, LOW, HIGH) HIGH(0, (a).high)

typedef struct {
  vec_t high;
} lanes_t;

typedef struct {
  ELEM high;
} acc_t;

static void
lanes_begin(lanes_t *lanes)
{
  lanes->high = (vec_t)((ELEM)LOWEST);
}

static void
lanes_fold(lanes_t *lanes, const vec_t v, const int at)
{
  lanes->high = GREATER(v, lanes->high);
}

static acc_t
acc_none(void)
{
  acc_t none;

  none.high = (ELEM)LOWEST;
  return none;
}

static acc_t
acc_merge(acc_t a, const acc_t b)
{
  a.high = GREATER(b.high, a.high);
  return a;
}

static acc_t
acc_of(const ELEM x, const int at)
{
  acc_t one = acc_none();

  one.high = GREATER(x, one.high);
  return one;
}

#define TAKE_LANE(lane, number) all.high = GREATER(lanes->high lane, all.high);

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
  words[0] = TO_WORD(acc.high);
}

static acc_t
acc_get(const ulong *words)
{
  acc_t acc;

  acc.high = FROM_WORD(ELEM, words[0]);
  return acc;
}
