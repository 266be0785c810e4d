/* SPDX-License-Identifier: MIT */
/* The window is not clipped: pixels outside the image repeat the edge but keep their own coordinates. */
static inline void
sum_window(WINDOW_PARAM, const int inside, const int2 at, const int4 c, const int4 filter, const float sp, sums_t *sums)
{
  const int left = at.x - filter.x, end = at.x + filter.x + 1;
  const int inner = clamp(0, left, end), inner_end = clamp(image.x, inner, end);

  for (int dy = -filter.x; dy <= filter.x; dy++) {
    const int y = clamp(at.y + dy, 0, image.y - 1);
    for (int x = left; x < inner; x++)
      add_window_pixel(WINDOW_ARG, 0, y, x - at.x, dy, c, filter.y, sums);
    add_row(WINDOW_ARG, inner, inner_end, y, at.x, dy, c, filter.y, sums);
    for (int x = inner_end; x < end; x++)
      add_window_pixel(WINDOW_ARG, image.x - 1, y, x - at.x, dy, c, filter.y, sums);
  }
}
