/* SPDX-License-Identifier: MIT */
/* Windows of a whole radius, clipped at the border of the image. Twin of edge-clip-half.cl and edge-replicate.cl. */
static inline int8
first_rows(const int8 y, const reach_t reach)
{
  return max(y - reach.radius, (int8)0);
}

static inline int8
last_rows(const int8 y, const reach_t reach, const int height)
{
  return min(y + reach.radius, (int8)(height - 1));
}

/* The first and last column that takes part, counted from the window's left edge. */
static inline int8
first_columns(const int8 x, const reach_t reach)
{
  return max(reach.radius - x, (int8)0);
}

static inline int8
last_columns(const int8 x, const reach_t reach, const int width)
{
  return min(width - 1 - x + reach.radius, (int8)(2 * reach.radius));
}

/* Where the columns from the window's left edge on are stored. */
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

/* All lanes take every column of their windows, so that there are no columns at the ends to be masked. */
#define END_COLUMNS 0

typedef struct {
  mask_t first;
  mask_t last;
} ends_t;

static inline void
find_ends(const int x, const reach_t reach, const int width, ends_t *ends)
{
  *ends = (ends_t){0, 0};
}
