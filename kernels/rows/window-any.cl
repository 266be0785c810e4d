/* SPDX-License-Identifier: MIT */
/*
 * A window of any radius up to 64: blocks of as many columns as there are lanes, the last at half the lanes and two
 * rows where it is that narrow; groups of as many rows as the packed sums take; totals in 32 bits.
 */
#define GROUP_ROWS 44 /* even; 43 * 44 / 2 fits 10 bits, 44 fits 6 */

/* One column block: 129 rows of 255 fit 16 bits, as do the sums of 129 positions. */
typedef struct {
  lanes_t n;
  lanes_t sy;
  sums_t sums;
} block_t;

static inline void
close_group(block_t *block, const int group)
{
  const lanes_t n = block->sums.packed & COUNT_BITS;

  block->n += n;
  block->sy += (block->sums.packed >> POSITION_SHIFT) + n * (lanes_t)(ushort)group;
  block->sums.packed = 0;
}

static inline void
add_block(block_t *block, const picture_t *picture, const int column, const int top, const int rows,
          const colour_t *c)
{
  for (int group = 0; group < rows; group += GROUP_ROWS) {
    const int end = min(group + GROUP_ROWS, rows);
    lanes_t weight = 1;

    for (int r = group; r < end; r++) {
      colour_t t;

      load_samples(&t, row_of(picture, top + r) + column, picture->pitch);
      add_samples(&block->sums, &t, c, picture->limit, weight, ALL_LANES);
      weight += (lanes_t)POSITION;
    }
    close_group(block, group);
  }
}

/* The lower half of the lanes takes even rows, the upper half odd ones. */
static inline void
add_half_block(block_t *block, const picture_t *picture, const int column, const int top, const int rows,
               const colour_t *c)
{
  const mask_t even = LANE_INDEX < (lanes_t)(LANES / 2);

  for (int group = 0; group < rows; group += GROUP_ROWS) {
    const int end = min(group + GROUP_ROWS, rows);
    lanes_t weight = even ? (lanes_t)1 : (lanes_t)(1 + POSITION);

    colour_t t;
    int r = group;

    for (; r + 1 < end; r += 2) {
      load_two_rows(&t, row_of(picture, top + r) + column, row_of(picture, top + r + 1) + column,
                    picture->pitch);
      add_samples(&block->sums, &t, c, picture->limit, weight, ALL_LANES);
      weight += (lanes_t)(2 * POSITION);
    }
    if (r < end) {
      __global const ushort *p = row_of(picture, top + r) + column;
      load_two_rows(&t, p, p, picture->pitch);
      add_samples(&block->sums, &t, c, picture->limit, weight, even);
    }
    close_group(block, group);
  }
}

/* Adds the lanes of `block` that are `in`, whose columns are `position`, to the totals of window `j`. */
static inline void
close_block(windows_t *windows, const int j, const block_t *block, const mask_t in, const lanes_t position)
{
  const lanes_t none = 0, n = in ? block->n : none;

  windows->n[j] += add_pairs(n);
  windows->sx[j] += add_pairs(n * position);
  windows->sy[j] += add_pairs(in ? block->sy : none);
  windows->s0[j] += add_pairs(in ? sum_of_values(block->sums.s0, n) : none);
  windows->s1[j] += add_pairs(in ? sum_of_values(block->sums.s1, n) : none);
  windows->s2[j] += add_pairs(in ? block->sums.s2 : none);
}

static inline void
add_window(windows_t *windows, const int j, const picture_t *picture, const int column, const int top,
           const int rows, const int left, const int right, const colour_t *c)
{
  int first = 0;

  windows->n[j] = windows->sx[j] = windows->sy[j] = 0;
  windows->s0[j] = windows->s1[j] = windows->s2[j] = 0;
  for (; right - first >= LANES / 2; first += LANES) {
    block_t block = {0, 0, {0, 0, 0, 0}};

    add_block(&block, picture, column + first, top, rows, c);
    close_block(windows, j, &block, lanes_between(left - first, right - first),
                LANE_INDEX + (lanes_t)(ushort)first);
  }
  if (first <= right) {
    const lanes_t position = (LANE_INDEX & (lanes_t)(LANES / 2 - 1)) + (lanes_t)(ushort)first;
    const mask_t in = (position >= (lanes_t)(ushort)left) & (position <= (lanes_t)(ushort)right);
    block_t block = {0, 0, {0, 0, 0, 0}};

    add_half_block(&block, picture, column + first, top, rows, c);
    close_block(windows, j, &block, in, position);
  }
}
