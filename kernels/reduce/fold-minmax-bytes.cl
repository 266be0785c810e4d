/* SPDX-License-Identifier: MIT */
/*
 * The least and the greatest byte, four bytes at a time as two pairs of 16 bits: the upper byte of 16 bits decides a comparison
 * unless upper bytes are equal, so the lower one need not be taken away. Twin of fold-minmax.cl.
 */
#define WORDS 2
#define EACH_EXTREME(a, LOW, HIGH) LOW(0, (a)->low) HIGH(1, (a)->high)

typedef union {
  vec_t vector;
  uint word[WIDTH / 4];
} packed_t;

/* Pairs of 16 bits whose upper bytes count: of the bytes 1 and 3 of each word, and of the bytes 0 and 2. */
typedef struct {
  uint low[WIDTH / 4][2];
  uint high[WIDTH / 4][2];
} lanes_t;

typedef struct {
  ELEM low;
  ELEM high;
} acc_t;

static void
lanes_begin(lanes_t *lanes)
{
  for (int k = 0; k < WIDTH / 4; k++) {
    lanes->low[k][0] = lanes->low[k][1] = (uchar)HIGHEST * 0x01010101u;
    lanes->high[k][0] = lanes->high[k][1] = (uchar)LOWEST * 0x01010101u;
  }
}

static void
lanes_fold(lanes_t *lanes, const vec_t v, const int at)
{
  packed_t packed;

  packed.vector = v;
  for (int k = 0; k < WIDTH / 4; k++) {
    const uint upper = packed.word[k], lower = packed.word[k] << 8;

    lanes->low[k][0] = lesser_pair(upper, lanes->low[k][0]);
    lanes->low[k][1] = lesser_pair(lower, lanes->low[k][1]);
    lanes->high[k][0] = greater_pair(upper, lanes->high[k][0]);
    lanes->high[k][1] = greater_pair(lower, lanes->high[k][1]);
  }
}

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
acc_add(acc_t *acc, const ELEM x, const int at)
{
  acc->low = LESSER(x, acc->low);
  acc->high = GREATER(x, acc->high);
}

static void
lanes_end(const lanes_t *lanes, acc_t *all)
{
  acc_begin(all);
  for (int k = 0; k < WIDTH / 4; k++)
    for (int part = 0; part < 2; part++) {
      const uint low = lanes->low[k][part], high = lanes->high[k][part];

      all->low = LESSER((ELEM)(low >> 8 & 255u), LESSER((ELEM)(low >> 24), all->low));
      all->high = GREATER((ELEM)(high >> 8 & 255u), GREATER((ELEM)(high >> 24), all->high));
    }
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
