/* SPDX-License-Identifier: MIT */
/*
 * The window of a pixel at the border of the picture. Where REPLICATES is 1, pixels outside repeat the edge but keep
 * their own coordinates; otherwise the window is clipped. Over an image object (FROM_IMAGE is 1) the sampler repeats
 * the edge, and work-groups that stay `inside` the image test no bounds.
 */

/* Pixels x to end - 1 of row y, in steps of UNROLL and singly for the rest. */
static inline void
add_row(WINDOW_PARAM, int x, const int end, const int y, const int x0, const int dy, const int4 c, const int isr2,
        sums_t *sums)
{
  for (; x + UNROLL <= end; x += UNROLL)
    add_window_step(WINDOW_ARG, x, y, x0, dy, c, isr2, sums);
  for (; x < end; x++)
    add_window_pixel(WINDOW_ARG, x, y, x - x0, dy, c, isr2, sums);
}

static inline void
sum_replicated(WINDOW_PARAM, const int2 at, const int4 c, const int4 filter, sums_t *sums)
{
  const int left = at.x - filter.x, end = at.x + filter.x + 1;
  const int inner = FROM_IMAGE ? left : clamp(0, left, end), inner_end = FROM_IMAGE ? end : clamp(image.x, inner, end);

  for (int dy = -filter.x; dy <= filter.x; dy++) {
    const int y = FROM_IMAGE ? at.y + dy : clamp(at.y + dy, 0, image.y - 1);
    for (int x = left; x < inner; x++)
      add_window_pixel(WINDOW_ARG, 0, y, x - at.x, dy, c, filter.y, sums);
    add_row(WINDOW_ARG, inner, inner_end, y, at.x, dy, c, filter.y, sums);
    for (int x = inner_end; x < end; x++)
      add_window_pixel(WINDOW_ARG, image.x - 1, y, x - at.x, dy, c, filter.y, sums);
  }
}

/*
 * The ends of the window around column or row `at`; those of a radius at or next to a half (HALF_RADIUS is 1) are
 * rounded to even in single precision, as OpenCV rounds them.
 */
static inline int
window_start(const int at, const int radius, const float sp)
{
  return HALF_RADIUS ? convert_int_rte((float)at - sp) : at - radius;
}

static inline int
window_end(const int at, const int radius, const float sp)
{
  return HALF_RADIUS ? convert_int_rte((float)at + sp) : at + radius;
}

static inline void
sum_window(WINDOW_PARAM, const int inside, const int2 at, const int4 c, const int4 filter, const float sp, sums_t *sums)
{
  if (REPLICATES) {
    sum_replicated(WINDOW_ARG, at, c, filter, sums);
    return;
  }

  const int left = window_start(at.x, filter.x, sp), right = window_end(at.x, filter.x, sp);
  const int top = window_start(at.y, filter.x, sp), bottom = window_end(at.y, filter.x, sp);

  if (inside) {
    for (int y = top; y <= bottom; y++)
      add_row(WINDOW_ARG, left, right + 1, y, at.x, y - at.y, c, filter.y, sums);
    return;
  }

  const int first = max(left, 0), end = min(right, image.x - 1) + 1, last = min(bottom, image.y - 1);

  for (int y = max(top, 0); y <= last; y++)
    add_row(WINDOW_ARG, first, end, y, at.x, y - at.y, c, filter.y, sums);
}
