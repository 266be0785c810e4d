/* SPDX-License-Identifier: MIT */
/* The least of the elements. Every lane starts from HIGHEST, which the plan sets to the far end of the type. */
#define WORDS 1
#define EACH_EXTREME(a, LOW, HIGH) LOW(0, (a)->low)

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

static void
acc_begin(acc_t *acc)
{
  acc->low = (ELEM)HIGHEST;
}

static void
acc_merge(acc_t *a, const acc_t *b)
{
  a->low = LESSER(b->low, a->low);
}

static void
acc_add(acc_t *acc, const ELEM x, const int at)
{
  acc->low = LESSER(x, acc->low);
}

#define TAKE_LANE(lane, number) \
  all->low = LESSER(lanes->low lane, all->low);

static void
lanes_end(const lanes_t *lanes, acc_t *all)
{
  acc_begin(all);
  EACH_LANE(TAKE_LANE)
}

static void
acc_put(const acc_t *acc, ulong *words)
{
  words[0] = TO_WORD(acc->low);
}

static void
acc_get(acc_t *acc, const ulong *words)
{
  acc->low = FROM_WORD(ELEM, words[0]);
}
