/* SPDX-License-Identifier: MIT */
/*
 * The window of a radius at or next to a half: OpenCV rounds its ends to even in single precision, and so does this
 * part.
 */
static inline void
sum_window(WINDOW_PARAM, const int inside, const int2 at, const int4 c, const int4 filter, const float sp, sums_t *sums)
{
  const int left = max(convert_int_rte((float)at.x - sp), 0);
  const int end = min(convert_int_rte((float)at.x + sp), image.x - 1) + 1;
  const int top = max(convert_int_rte((float)at.y - sp), 0);
  const int bottom = min(convert_int_rte((float)at.y + sp), image.y - 1);

  for (int y = top; y <= bottom; y++)
    add_row(WINDOW_ARG, left, end, y, at.x, y - at.y, c, filter.y, sums);
}
