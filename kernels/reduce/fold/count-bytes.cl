/* SPDX-License-Identifier: MIT */
/*
 * Counts the bytes of a load that are not zero, four at a time: adding 0x7f to the low seven bits of a byte sets the
 * eighth bit unless all are zero; or-ed with the original eighth bit, these bits are counted. Twin of add.cl.
 */
typedef union {
  vec_t vector;
  uint word[WIDTH / 4];
} packed_t;

typedef struct {
  uint ones;
} lanes_t;

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
lanes_end(const lanes_t *lanes, acc_t *all)
{
  all->t[0] = lanes->ones;
}
