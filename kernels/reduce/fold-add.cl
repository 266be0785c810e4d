/* SPDX-License-Identifier: MIT */
/* Sums: lanes of type LANE inside a work-item (the plan sees to it that they cannot overflow), TOTAL from there on. */
#define WORDS (TERMS * SLOT)

typedef struct {
  VECTOR(LANE) t[WORDS];
} lanes_t;

typedef struct {
  TOTAL t[WORDS];
} acc_t;

static void
lanes_begin(lanes_t *lanes)
{
  for (int k = 0; k < WORDS; k++)
    lanes->t[k] = (VECTOR(LANE))(0);
}

static void
lanes_fold(lanes_t *lanes, const vec_t v, const int at)
{
  FOLD_TERMS(VECTOR(LANE), lanes->t, LANES_OF(v));
}

static acc_t
acc_none(void)
{
  acc_t none;

  for (int k = 0; k < WORDS; k++)
    none.t[k] = 0;
  return none;
}

static acc_t
acc_of(const ELEM x, const int at)
{
  acc_t one = acc_none();

  FOLD_TERMS(TOTAL, one.t, TOTAL_OF(x));
  return one;
}

static acc_t
acc_merge(acc_t a, const acc_t b)
{
  for (int k = 0; k < TERMS; k++)
    ADD_PAIR(TOTAL, a.t + k * SLOT, b.t + k * SLOT);
  return a;
}

#define TAKE_LANE(lane, number)         \
  for (int k = 0; k < WORDS; k++)       \
    one.t[k] = (TOTAL)lanes->t[k] lane; \
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
  for (int k = 0; k < WORDS; k++)
    words[k] = TO_WORD(acc.t[k]);
}

static acc_t
acc_get(const ulong *words)
{
  acc_t acc;

  for (int k = 0; k < WORDS; k++)
    acc.t[k] = FROM_WORD(TOTAL, words[k]);
  return acc;
}
