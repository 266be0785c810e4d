/* SPDX-License-Identifier: MIT */
/*
 * The least and the greatest byte, four bytes at a time as two pairs of 16 bits: the upper byte of 16 bits decides a
 * comparison unless the upper bytes are equal, so the lower byte need not be masked. Twin of minmax.cl.
 */
typedef union {
  vec_t vector;
  uint word[WIDTH / 4];
} packed_t;

/* Pairs of 16 bits compared by their upper bytes: bytes 1 and 3 of each word, and bytes 0 and 2. */
typedef struct {
  uint low[WIDTH / 4][2];
  uint high[WIDTH / 4][2];
} lanes_t;

static void
lanes_begin(lanes_t *lanes)
{
  for (int k = 0; k < WIDTH / 4; k++) {
    lanes->low[k][0] = lanes->low[k][1] = (uchar)HIGHEST * 0x01010101u;
    lanes->high[k][0] = lanes->high[k][1] = (uchar)LOWEST * 0x01010101u;
  }
}

static void
lanes_fold(lanes_t *lanes, const vec_t v, const int at, const ELEM centre)
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
