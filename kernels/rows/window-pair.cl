/* SPDX-License-Identifier: MIT */
/*
 * A window no wider than half the lanes: two rows make one vector. At most eight samples a lane, so that the packed sums still
 * fit when four lanes have been added, and all others when eight have.
 */
typedef struct {
  lanes_t packed[8];
  lanes_t sx[8];
  lanes_t s0[8];
  lanes_t s1[8];
  lanes_t s2[8];
} windows_t;

static inline colour_t
load_two_rows(__global const ushort *p, __global const ushort *q, const int pitch)
{
  const colour_t t = {load_half_lanes(p, q), load_half_lanes(p + pitch, q + pitch),
                      load_half_lanes(p + 2 * pitch, q + 2 * pitch)};

  return t;
}

static inline void
add_window(windows_t *windows, const int j, const picture_t *picture, const int column, const int top, const int rows,
           const int left, const int right, const colour_t c)
{
  const lanes_t column_of = LANE_INDEX & (lanes_t)(LANES / 2 - 1);
  const mask_t upper = LANE_INDEX < (lanes_t)(LANES / 2);
  const mask_t in = (column_of >= (lanes_t)(ushort)left) & (column_of <= (lanes_t)(ushort)right);
  lanes_t weight = upper ? (lanes_t)1 : (lanes_t)(1 + POSITION);
  sums_t sums = {0, 0, 0, 0};
  int r = 0;

  for (; r + 1 < rows; r += 2) {
    const colour_t t =
      load_two_rows(row_of(picture, top + r) + column, row_of(picture, top + r + 1) + column, picture->pitch);
    add_samples(&sums, t, c, picture->limit, weight, ALL_LANES);
    weight += (lanes_t)(2 * POSITION);
  }
  if (r < rows) {
    __global const ushort *p = row_of(picture, top + r) + column;
    add_samples(&sums, load_two_rows(p, p, picture->pitch), c, picture->limit, weight, upper);
  }
  windows->packed[j] = in ? sums.packed : (lanes_t)0;
  windows->sx[j] = (windows->packed[j] & COUNT_BITS) * column_of;
  windows->s0[j] = in ? sums.s0 : (lanes_t)0;
  windows->s1[j] = in ? sums.s1 : (lanes_t)0;
  windows->s2[j] = in ? sums.s2 : (lanes_t)0;
}

static inline totals_t
totals_of(const windows_t *windows)
{
  const folded_t packed = fold(windows->packed);
  const folded_t n = {packed.even & COUNT_BITS, packed.odd & COUNT_BITS};
  const folded_t sy = {packed.even >> POSITION_SHIFT, packed.odd >> POSITION_SHIFT};
  const totals_t t = {fold_rest(n),
                      fold_rest(fold(windows->sx)),
                      fold_rest(sy),
                      fold_rest(fold(windows->s0)),
                      fold_rest(fold(windows->s1)),
                      fold_rest(fold(windows->s2))};

  return t;
}
