/* SPDX-License-Identifier: MIT */
/* Windows are clipped at the border of the image. Twin of edge-replicate.cl. */
static inline int8
first_rows(const int8 y, const int radius)
{
  return max(y - radius, (int8)0);
}

static inline int8
last_rows(const int8 y, const int radius, const int height)
{
  return min(y + radius, (int8)(height - 1));
}

/* The first and last column that takes part, counted from the window's left edge. */
static inline int8
first_columns(const int8 x, const int radius)
{
  return max(radius - x, (int8)0);
}

static inline int8
last_columns(const int8 x, const int radius, const int width)
{
  return min(width - 1 - x + radius, (int8)(2 * radius));
}

/* Where the columns from the window's left edge on are stored. */
static inline int8
stored_columns(const int8 x, const int radius, const int width)
{
  return x - radius;
}

static inline int
stored_row(const int y, const int height)
{
  return y;
}

/* Whether some of the LANES windows from x on leave the image to the left or to the right. */
static inline bool
windows_leave(const int x, const int radius, const int width)
{
  return x < radius || x + LANES - 1 + radius >= width;
}
