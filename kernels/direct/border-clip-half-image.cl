/* SPDX-License-Identifier: MIT */
/*
 * The window of a radius at or next to a half, rounded as in border-clip-half.cl, over an image object: work-groups
 * inside the image test no bounds, the others clip it at the border.
 */
static inline void
sum_window(WINDOW_PARAM, const int inside, const int2 at, const int4 c, const int4 filter, const float sp, sums_t *sums)
{
  int left = convert_int_rte((float)at.x - sp), right = convert_int_rte((float)at.x + sp);
  int top = convert_int_rte((float)at.y - sp), bottom = convert_int_rte((float)at.y + sp);

  if (!inside) {
    left = max(left, 0);
    right = min(right, image.x - 1);
    top = max(top, 0);
    bottom = min(bottom, image.y - 1);
  }
  for (int y = top; y <= bottom; y++)
    add_row(WINDOW_ARG, left, right + 1, y, at.x, y - at.y, c, filter.y, sums);
}
