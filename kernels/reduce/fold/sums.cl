/* SPDX-License-Identifier: MIT */
/* The partial of sums: TERMS running sums of type TOTAL, with SLOT values each. */
#define WORDS (TERMS * SLOT)

typedef struct {
  TOTAL t[WORDS];
} acc_t;

static void
acc_begin(acc_t *acc)
{
  for (int k = 0; k < WORDS; k++)
    acc->t[k] = 0;
}

static void
acc_add(acc_t *acc, const ELEM x, const int at, const ELEM centre)
{
  FOLD_TERMS(TOTAL, acc->t, TOTAL_OF(x));
}

static void
acc_merge(acc_t *a, const acc_t *b)
{
  for (int k = 0; k < TERMS; k++)
    ADD_PAIR(TOTAL, a->t + k * SLOT, b->t + k * SLOT);
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
