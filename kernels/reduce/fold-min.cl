/* SPDX-License-Identifier: MIT */
/* The least of the elements. Every lane starts from HIGHEST, which the plan sets to the far end of the type. */
#define WORDS 1
#define EACH_EXTREME(a, LOW, HIGH) LOW(0, (a).low)

typedef struct {
  vec_t low;
} lanes_t;

typedef struct {
  ELEM low;
} acc_t;

static void
lanes_begin(lanes_t *lanes)
{
  lanes->low = (vec_t)((ELEM)HIGHEST);
}

static void
lanes_fold(lanes_t *lanes, const vec_t v, const int at)
{
  lanes->low = LESSER(v, lanes->low);
}

static acc_t
acc_none(void)
{
  acc_t none;

  none.low = (ELEM)HIGHEST;
  return none;
}

static acc_t
acc_merge(acc_t a, const acc_t b)
{
  a.low = LESSER(b.low, a.low);
  return a;
}

static acc_t
acc_of(const ELEM x, const int at)
{
  acc_t one = acc_none();

  one.low = LESSER(x, one.low);
  return one;
}

#define TAKE_LANE(lane, number) all.low = LESSER(lanes->low lane, all.low);

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
}

static acc_t
acc_get(const ulong *words)
{
  acc_t acc;

  acc.low = FROM_WORD(ELEM, words[0]);
  return acc;
}
