/* SPDX-License-Identifier: MIT */
/*
 * A window no wider than the lanes and no higher than 31: one row makes one vector. Eight lanes added still fit 16
 * bits.
 */
typedef struct {
  lanes_t n[8];
  lanes_t sx[8];
  lanes_t sy[8];
  lanes_t s0[8];
  lanes_t s1[8];
  lanes_t s2[8];
} windows_t;

static inline void
add_window(windows_t *windows, const int j, const picture_t *picture, const int column, const int top,
           const int rows, const int left, const int right, const colour_t *c)
{
  const mask_t in = lanes_between(left, right);
  lanes_t weight = 1;
  sums_t sums = {0, 0, 0, 0};

  for (int r = 0; r < rows; r++) {
    colour_t t;

    load_samples(&t, row_of(picture, top + r) + column, picture->pitch);
    add_samples(&sums, &t, c, picture->limit, weight, ALL_LANES);
    weight += (lanes_t)POSITION;
  }
  sums.packed = in ? sums.packed : (lanes_t)0;
  windows->n[j] = sums.packed & COUNT_BITS;
  windows->sx[j] = windows->n[j] * LANE_INDEX;
  windows->sy[j] = sums.packed >> POSITION_SHIFT;
  windows->s0[j] = in ? sums.s0 : (lanes_t)0;
  windows->s1[j] = in ? sums.s1 : (lanes_t)0;
  windows->s2[j] = in ? sums.s2 : (lanes_t)0;
}

static inline void
add_up(totals_t *t, const windows_t *windows)
{
  t->n = fold_lanes(windows->n);
  t->sx = fold_lanes(windows->sx);
  t->sy = fold_lanes(windows->sy);
  t->s0 = fold_lanes(windows->s0);
  t->s1 = fold_lanes(windows->s1);
  t->s2 = fold_lanes(windows->s2);
}
