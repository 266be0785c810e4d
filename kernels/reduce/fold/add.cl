/* SPDX-License-Identifier: MIT */
/* Sums: lanes of type LANE inside a work-item (the plan limits its loads so that they cannot overflow), then TOTAL. */
typedef struct {
  VECTOR(LANE) t[WORDS];
} lanes_t;

static void
lanes_begin(lanes_t *lanes)
{
  for (int k = 0; k < WORDS; k++)
    lanes->t[k] = (VECTOR(LANE))(0);
}

static void
lanes_fold(lanes_t *lanes, const vec_t v, const int at, const ELEM centre)
{
  FOLD_TERMS(VECTOR(LANE), lanes->t, LANES_OF(v));
}

static void
lanes_merge(lanes_t *a, const lanes_t *b)
{
  for (int k = 0; k < TERMS; k++)
    ADD_PAIR(VECTOR(LANE), a->t + k * SLOT, b->t + k * SLOT);
}

/* Into the first lane. */
static void
lanes_take(lanes_t *lanes, const acc_t *acc)
{
  for (int k = 0; k < WORDS; k += SLOT) {
    LANE sum[SLOT];
    for (int j = 0; j < SLOT; j++)
      sum[j] = FIRST_LANE(lanes->t[k + j]);
    ADD_PAIR(LANE, sum, acc->t + k);
    for (int j = 0; j < SLOT; j++)
      FIRST_LANE(lanes->t[k + j]) = sum[j];
  }
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
