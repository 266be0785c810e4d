/* SPDX-License-Identifier: MIT */
/* The window of a whole radius, clipped at the border. */
static inline void
sum_window(WINDOW_PARAM, const int inside, const int2 at, const int4 c, const int4 filter, const float sp, sums_t *sums)
{
  const int left = max(at.x - filter.x, 0), end = min(at.x + filter.x, image.x - 1) + 1;
  const int top = max(at.y - filter.x, 0), bottom = min(at.y + filter.x, image.y - 1);

  for (int y = top; y <= bottom; y++)
    add_row(WINDOW_ARG, left, end, y, at.x, y - at.y, c, filter.y, sums);
}
