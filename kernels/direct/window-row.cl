/* SPDX-License-Identifier: MIT */
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
