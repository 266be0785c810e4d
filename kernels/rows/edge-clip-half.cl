/* SPDX-License-Identifier: MIT */
/*
 * Windows of a radius at or next to a half, clipped at the border of the image. OpenCV rounds the ends of a window to
 * even in single precision, so that the window of every other coordinate is a pixel shorter. Twin of edge-clip.cl and
 * edge-replicate.cl.
 */
static inline int8
first_rows(const int8 y, const reach_t reach)
{
  return max(convert_int8_rte(convert_float8(y) - reach.sp), (int8)0);
}

static inline int8
last_rows(const int8 y, const reach_t reach, const int height)
{
  return min(convert_int8_rte(convert_float8(y) + reach.sp), (int8)(height - 1));
}

/* The first and last column that takes part, counted from the left edge of the widest window. */
static inline int8
first_columns(const int8 x, const reach_t reach)
{
  return max(convert_int8_rte(convert_float8(x) - reach.sp), (int8)0) - x + reach.radius;
}

static inline int8
last_columns(const int8 x, const reach_t reach, const int width)
{
  return min(convert_int8_rte(convert_float8(x) + reach.sp), (int8)(width - 1)) - x + reach.radius;
}

/* Where the columns from the left edge of the widest window on are stored. */
static inline int8
stored_columns(const int8 x, const reach_t reach, const int width)
{
  return x - reach.radius;
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

/* Which of LANES windows take the first, and which the last column of the widest window. */
#define END_COLUMNS 1

typedef struct {
  mask_t first;
  mask_t last;
} ends_t;

static inline void
find_ends(const int x, const reach_t reach, const int width, ends_t *ends)
{
  for (int j = 0; j < LANES / 8; j++) {
    const int8 at = x + 8 * j + (int8)(0, 1, 2, 3, 4, 5, 6, 7);

    ((short8 *)&ends->first)[j] = convert_short8(first_columns(at, reach) == 0);
    ((short8 *)&ends->last)[j] = convert_short8(last_columns(at, reach, width) == 2 * reach.radius);
  }
}
