/* SPDX-License-Identifier: MIT */
/*
 * The edge repeats outside the image and nothing is clipped: columns are stored so already, rows are looked up. A
 * window wholly outside sees the edge only, so that any stored columns of that side serve it. Twin of edge-clip.cl.
 */
static inline int8
first_rows(const int8 y, const int radius)
{
  return y - radius;
}

static inline int8
last_rows(const int8 y, const int radius, const int height)
{
  return y + radius;
}

static inline int8
first_columns(const int8 x, const int radius)
{
  return 0;
}

static inline int8
last_columns(const int8 x, const int radius, const int width)
{
  return 2 * radius;
}

static inline int8
stored_columns(const int8 x, const int radius, const int width)
{
  return clamp(x - radius, (int8)(-2 * radius - 1), (int8)width);
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
