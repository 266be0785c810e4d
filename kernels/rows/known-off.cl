/* SPDX-License-Identifier: MIT */
/* Remembers no windows: for small ones, whose sums cost less than the search for another. Twin of known-on.cl. */
typedef struct {
  int unused;
} known_t;

static inline void
forget_windows(known_t *known)
{
}

static inline void
add_known_window(known_t *known, windows_t *windows, const int j, const picture_t *picture, const int column,
                 const int top, const int rows, const int left, const int right, const uint colour)
{
  const colour_t c = colour_of(colour);

  add_window(windows, j, picture, column, top, rows, left, right, &c);
}

static inline void
complete_windows(known_t *known, totals_t *t, const int8 column, const int8 top)
{
}
