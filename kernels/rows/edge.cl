/* SPDX-License-Identifier: MIT */
/*
 * Windows at the border of the image. Where REPLICATES is 1, the edge repeats outside and nothing is clipped: the
 * planes hold the repeated columns, rows are clamped, and since a window completely outside contains only edge pixels,
 * any stored columns on that side give its sums. Otherwise windows are clipped; where the radius is at or next to a
 * half (HALF_RADIUS is 1), OpenCV rounds the ends of a window to even in single precision, so that the window of every
 * other coordinate is a pixel shorter.
 */
static inline int8
window_starts(const int8 x, const reach_t reach)
{
  return HALF_RADIUS ? convert_int8_rte(convert_float8(x) - reach.sp) : x - reach.radius;
}

static inline int8
window_ends(const int8 x, const reach_t reach)
{
  return HALF_RADIUS ? convert_int8_rte(convert_float8(x) + reach.sp) : x + reach.radius;
}

static inline int8
first_rows(const int8 y, const reach_t reach)
{
  return REPLICATES ? y - reach.radius : max(window_starts(y, reach), (int8)0);
}

static inline int8
last_rows(const int8 y, const reach_t reach, const int height)
{
  return REPLICATES ? y + reach.radius : min(window_ends(y, reach), (int8)(height - 1));
}

/* The first and last column that takes part, counted from the left edge of the widest window. */
static inline int8
first_columns(const int8 x, const reach_t reach)
{
  return REPLICATES ? (int8)0 : max(window_starts(x, reach), (int8)0) - x + reach.radius;
}

static inline int8
last_columns(const int8 x, const reach_t reach, const int width)
{
  return REPLICATES ? (int8)(2 * reach.radius) : min(window_ends(x, reach), (int8)(width - 1)) - x + reach.radius;
}

/* Where the columns from the left edge of the widest window on are stored. */
static inline int8
stored_columns(const int8 x, const reach_t reach, const int width)
{
  const int8 left = x - reach.radius;

  return REPLICATES ? clamp(left, (int8)(-2 * reach.radius - 1), (int8)width) : left;
}

static inline int
stored_row(const int y, const int height)
{
  return REPLICATES ? clamp(y, 0, height - 1) : y;
}

/* Whether some of the LANES windows from x on leave the image to the left or to the right. */
static inline bool
windows_leave(const int x, const int radius, const int width)
{
  return !REPLICATES && (x < radius || x + LANES - 1 + radius >= width);
}
