/* SPDX-License-Identifier: MIT */
/* Remembers no windows: for small ones, whose sums cost less than the search for another. Twin of memo-on.cl. */
typedef struct {
  int unused;
} memo_t;

static inline void
forget_windows(memo_t *memo)
{
}

static inline void
add_window_by_memo(memo_t *memo, windows_t *windows, const int j, const picture_t *picture, const int column,
                 const int top, const int rows, const int left, const int right, const uint colour)
{
  const colour_t c = colour_of(colour);

  add_window(windows, j, picture, column, top, rows, left, right, &c);
}

static inline void
complete_windows(memo_t *memo, totals_t *t, const int8 column, const int8 top)
{
}
