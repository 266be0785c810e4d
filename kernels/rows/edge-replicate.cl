/* SPDX-License-Identifier: MIT */
/*
 * The edge repeats outside the image and nothing is clipped: the planes hold the repeated columns, rows are clamped. A
 * window completely outside contains only edge pixels, so any stored columns on that side give its sums. Twin of
 * edge-clip.cl.
 */
static inline int8
first_rows(const int8 y, const reach_t reach)
{
  return y - reach.radius;
}

static inline int8
last_rows(const int8 y, const reach_t reach, const int height)
{
  return y + reach.radius;
}

static inline int8
first_columns(const int8 x, const reach_t reach)
{
  return 0;
}

static inline int8
last_columns(const int8 x, const reach_t reach, const int width)
{
  return 2 * reach.radius;
}

static inline int8
stored_columns(const int8 x, const reach_t reach, const int width)
{
  return clamp(x - reach.radius, (int8)(-2 * reach.radius - 1), (int8)width);
}

static inline int
stored_row(const int y, const int height)
{
  return clamp(y, 0, height - 1);
}

static inline bool
windows_leave(const int x, const int radius, const int width)
{
  return false;
}
