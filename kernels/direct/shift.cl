/* SPDX-License-Identifier: MIT */
/* One iteration of a pixel. */

/*
 * The change of a pixel, which is compared with epsilon: the sum of its shift in x and y and its squared change in
 * colour.
 */
static inline int
change_of(const int2 a, const int2 b, const int4 c, const int4 d)
{
  const int4 e = c - d;
  const uint2 s = abs_diff(a, b);

  return (int)(s.x + s.y) + e.x * e.x + e.y * e.y + e.z * e.z;
}

/* Moves the pixel at `at` with colour `c` to the mean of its window; returns whether it rests there. */
static inline bool
shift_pixel(WINDOW_PARAM, const int inside, int2 *at, int4 *c, const int4 filter, const float sp)
{
  sums_t s = {0, 0, 0, 0, 0, 0};

  sum_window(WINDOW_ARG, inside, *at, *c, filter, sp, &s);
  if (s.n == 0)
    return true;

  const int2 from = *at, to = (int2)(mean_of(s.dx, s.n, from.x), mean_of(s.dy, s.n, from.y));
  const int4 mean = (int4)(mean_of(s.r, s.n, 0), mean_of(s.g, s.n, 0), mean_of(s.b, s.n, 0), 0);
  const bool still = (to.x == from.x && to.y == from.y) || change_of(to, from, mean, *c) <= filter.w;

  *at = to;
  *c = mean;
  return still;
}
