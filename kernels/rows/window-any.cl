/* SPDX-License-Identifier: MIT */
/*
 * A window of any radius up to 64: blocks of as many columns as there are lanes, groups of as many rows as the packed sums take,
 * totals in 32 bits.
 */
#define GROUP_ROWS 45 /* 44 * 45 / 2 fits 10 bits, 45 fits 6 */

typedef struct {
  halves_t n[8];
  halves_t sx[8];
  halves_t sy[8];
  halves_t s0[8];
  halves_t s1[8];
  halves_t s2[8];
} windows_t;

/* One column block: 129 rows of 255 fit 16 bits, as do the sums of 129 positions. */
typedef struct {
  lanes_t n;
  lanes_t sy;
  sums_t sums;
} block_t;

static inline void
add_block(block_t *block, const picture_t *picture, const int column, const int top, const int rows,
          const colour_t *c)
{
  for (int group = 0; group < rows; group += GROUP_ROWS) {
    const int end = min(group + GROUP_ROWS, rows);
    lanes_t weight = 1;

    block->sums.packed = 0;
    for (int r = group; r < end; r++) {
      colour_t t;

      load_samples(&t, row_of(picture, top + r) + column, picture->pitch);
      add_samples(&block->sums, &t, c, picture->limit, weight, ALL_LANES);
      weight += (lanes_t)POSITION;
    }
    const lanes_t n = block->sums.packed & COUNT_BITS;
    block->n += n;
    block->sy += (block->sums.packed >> POSITION_SHIFT) + n * (lanes_t)(ushort)group;
  }
}

static inline void
add_window(windows_t *windows, const int j, const picture_t *picture, const int column, const int top,
           const int rows, const int left, const int right, const colour_t *c)
{
  halves_t n = 0, sx = 0, sy = 0, s0 = 0, s1 = 0, s2 = 0;

  for (int first = 0; first <= right; first += LANES) {
    const mask_t in = lanes_between(left - first, right - first);
    block_t block = {0, 0, {0, 0, 0, 0}};

    add_block(&block, picture, column + first, top, rows, c);
    block.n = in ? block.n : (lanes_t)0;
    n += add_pairs(block.n);
    sx += add_pairs(block.n * (LANE_INDEX + (lanes_t)(ushort)first));
    sy += add_pairs(in ? block.sy : (lanes_t)0);
    s0 += add_pairs(in ? block.sums.s0 : (lanes_t)0);
    s1 += add_pairs(in ? block.sums.s1 : (lanes_t)0);
    s2 += add_pairs(in ? block.sums.s2 : (lanes_t)0);
  }
  windows->n[j] = n;
  windows->sx[j] = sx;
  windows->sy[j] = sy;
  windows->s0[j] = s0;
  windows->s1[j] = s1;
  windows->s2[j] = s2;
}

static inline void
add_up(totals_t *t, const windows_t *windows)
{
  t->n = fold_halves(windows->n);
  t->sx = fold_halves(windows->sx);
  t->sy = fold_halves(windows->sy);
  t->s0 = fold_halves(windows->s0);
  t->s1 = fold_halves(windows->s1);
  t->s2 = fold_halves(windows->s2);
}
