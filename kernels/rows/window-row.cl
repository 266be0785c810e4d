/* SPDX-License-Identifier: MIT */
/*
 * A window no wider than the lanes and no higher than 31: one row makes one vector. Eight lanes added still fit 16
 * bits.
 */
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
  windows->s0[j] = in ? sum_of_values(sums.s0, windows->n[j]) : (lanes_t)0;
  windows->s1[j] = in ? sum_of_values(sums.s1, windows->n[j]) : (lanes_t)0;
  windows->s2[j] = in ? sums.s2 : (lanes_t)0;
}
