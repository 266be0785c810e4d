/* SPDX-License-Identifier: MIT */
/*
 * Counts the bytes of a load that are not zero, four at a time: adding 0x7f to the low seven bits carries into the
 * eighth unless they are all zero, the eighth itself is kept, and the eighth bits are counted.
 */
#define WORDS 1

typedef union {
  vec_t vector;
  uint word[WIDTH / 4];
} packed_t;

typedef struct {
  uint ones;
} lanes_t;

typedef struct {
  ulong t[WORDS];
} acc_t;

static void
lanes_begin(lanes_t *lanes)
{
  lanes->ones = 0;
}

static void
lanes_fold(lanes_t *lanes, const vec_t v, const int at, const ELEM centre)
{
  packed_t packed;

  packed.vector = v;
  for (int k = 0; k < WIDTH / 4; k++) {
    const uint word = packed.word[k];
    lanes->ones += popcount((((word & 0x7f7f7f7fu) + 0x7f7f7f7fu) | word) & 0x80808080u);
  }
}

static void
acc_begin(acc_t *acc)
{
  acc->t[0] = 0;
}

static void
acc_add(acc_t *acc, const ELEM x, const int at, const ELEM centre)
{
  acc->t[0] += x != 0;
}

static void
acc_merge(acc_t *a, const acc_t *b)
{
  a->t[0] += b->t[0];
}

static void
lanes_end(const lanes_t *lanes, acc_t *all)
{
  all->t[0] = lanes->ones;
}

static void
acc_put(const acc_t *acc, ulong *words)
{
  words[0] = acc->t[0];
}

static void
acc_get(acc_t *acc, const ulong *words)
{
  acc->t[0] = words[0];
}
