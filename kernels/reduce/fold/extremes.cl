/* SPDX-License-Identifier: MIT */
/* The partial of both forms of minMax. It starts from the far ends of the type, HIGHEST and LOWEST. */
#define WORDS 2
#define EACH_EXTREME(a, LOW, HIGH) LOW(0, (a)->low) HIGH(1, (a)->high)

typedef struct {
  ELEM low;
  ELEM high;
} acc_t;

static void
acc_begin(acc_t *acc)
{
  acc->low = (ELEM)HIGHEST;
  acc->high = (ELEM)LOWEST;
}

static void
acc_merge(acc_t *a, const acc_t *b)
{
  a->low = LESSER(b->low, a->low);
  a->high = GREATER(b->high, a->high);
}

static void
acc_add(acc_t *acc, const ELEM x, const int at, const ELEM centre)
{
  acc->low = LESSER(x, acc->low);
  acc->high = GREATER(x, acc->high);
}

static void
acc_put(const acc_t *acc, ulong *words)
{
  words[0] = TO_WORD(acc->low);
  words[1] = TO_WORD(acc->high);
}

static void
acc_get(acc_t *acc, const ulong *words)
{
  acc->low = FROM_WORD(ELEM, words[0]);
  acc->high = FROM_WORD(ELEM, words[1]);
}
