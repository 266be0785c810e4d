/* SPDX-License-Identifier: MIT */
/* The window over an image object is not clipped: the sampler repeats the edge, so the kernel tests no bounds. */
static inline void
sum_window(WINDOW_PARAM, const int inside, const int2 at, const int4 c, const int4 filter, const float sp, sums_t *sums)
{
  for (int dy = -filter.x; dy <= filter.x; dy++)
    add_row(WINDOW_ARG, at.x - filter.x, at.x + filter.x + 1, at.y + dy, at.x, dy, c, filter.y, sums);
}
