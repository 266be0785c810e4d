/* SPDX-License-Identifier: MIT */
/*
 * A window no wider than half the lanes: two rows make one vector. At most eight samples a lane, so that the packed
 * sums still fit when four lanes have been added, and all others when eight have.
 */
typedef struct {
  lanes_t packed[8];
  lanes_t sx[8];
  lanes_t s0[8];
  lanes_t s1[8];
  lanes_t s2[8];
} windows_t;

static inline void
add_window(windows_t *windows, const int j, const picture_t *picture, const int column, const int top,
           const int rows, const int left, const int right, const colour_t *c)
{
  const lanes_t column_of = LANE_INDEX & (lanes_t)(LANES / 2 - 1);
  const mask_t upper = LANE_INDEX < (lanes_t)(LANES / 2);
  const mask_t in = (column_of >= (lanes_t)(ushort)left) & (column_of <= (lanes_t)(ushort)right);
  lanes_t weight = upper ? (lanes_t)1 : (lanes_t)(1 + POSITION);
  sums_t sums = {0, 0, 0, 0};
  colour_t t;
  int r = 0;

  for (; r + 1 < rows; r += 2) {
    load_two_rows(&t, row_of(picture, top + r) + column, row_of(picture, top + r + 1) + column,
                  picture->pitch);
    add_samples(&sums, &t, c, picture->limit, weight, ALL_LANES);
    weight += (lanes_t)(2 * POSITION);
  }
  if (r < rows) {
    __global const ushort *p = row_of(picture, top + r) + column;
    load_two_rows(&t, p, p, picture->pitch);
    add_samples(&sums, &t, c, picture->limit, weight, upper);
  }
  windows->packed[j] = in ? sums.packed : (lanes_t)0;
  const lanes_t n = windows->packed[j] & COUNT_BITS;
  windows->sx[j] = n * column_of;
  windows->s0[j] = in ? sum_of_values(sums.s0, n) : (lanes_t)0;
  windows->s1[j] = in ? sum_of_values(sums.s1, n) : (lanes_t)0;
  windows->s2[j] = in ? sums.s2 : (lanes_t)0;
}

static inline void
add_up(totals_t *t, const windows_t *windows)
{
  folded_t packed;

  fold(&packed, windows->packed);
  const folded_t n = {packed.even & COUNT_BITS, packed.odd & COUNT_BITS};
  const folded_t sy = {packed.even >> POSITION_SHIFT, packed.odd >> POSITION_SHIFT};
  t->n = fold_rest(&n);
  t->sx = fold_lanes(windows->sx);
  t->sy = fold_rest(&sy);
  t->s0 = fold_lanes(windows->s0);
  t->s1 = fold_lanes(windows->s1);
  t->s2 = fold_lanes(windows->s2);
}
