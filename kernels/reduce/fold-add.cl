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

static void
acc_begin(acc_t *acc)
{
  for (int k = 0; k < WORDS; k++)
    acc->t[k] = 0;
}

static void
acc_add(acc_t *acc, const ELEM x, const int at)
{
  FOLD_TERMS(TOTAL, acc->t, TOTAL_OF(x));
}

static void
acc_merge(acc_t *a, const acc_t *b)
{
  for (int k = 0; k < TERMS; k++)
    ADD_PAIR(TOTAL, a->t + k * SLOT, b->t + k * SLOT);
}

#define TAKE_LANE(lane, number)         \
  for (int k = 0; k < WORDS; k++)       \
    one.t[k] = (TOTAL)lanes->t[k] lane; \
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
  for (int k = 0; k < WORDS; k++)
    words[k] = TO_WORD(acc->t[k]);
}

static void
acc_get(acc_t *acc, const ulong *words)
{
  for (int k = 0; k < WORDS; k++)
    acc->t[k] = FROM_WORD(TOTAL, words[k]);
}
