/* SPDX-License-Identifier: MIT */
/* The greatest of the elements. Every lane starts from LOWEST, which the plan sets to the far end of the type. */
#define WORDS 1
#define EACH_EXTREME(a, LOW, HIGH) HIGH(0, (a)->high)

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

static void
acc_begin(acc_t *acc)
{
  acc->high = (ELEM)LOWEST;
}

static void
acc_merge(acc_t *a, const acc_t *b)
{
  a->high = GREATER(b->high, a->high);
}

static void
acc_add(acc_t *acc, const ELEM x, const int at)
{
  acc->high = GREATER(x, acc->high);
}

#define TAKE_LANE(lane, number) \
  all->high = GREATER(lanes->high lane, all->high);

static void
lanes_end(const lanes_t *lanes, acc_t *all)
{
  acc_begin(all);
  EACH_LANE(TAKE_LANE)
}

static void
acc_put(const acc_t *acc, ulong *words)
{
  words[0] = TO_WORD(acc->high);
}

static void
acc_get(acc_t *acc, const ulong *words)
{
  acc->high = FROM_WORD(ELEM, words[0]);
}
