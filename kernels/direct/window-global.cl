/* SPDX-License-Identifier: MIT */
/* All pixels of the window are read from the source. */
#define WINDOW_PARAM SOURCE_PARAM, const int4 image
#define WINDOW_ARG source, image
#define WINDOW_KERNEL_PARAM
#define WINDOW_DECLARE
#define WINDOW_STAGE

static inline void
add_window_pixel(WINDOW_PARAM, const int x, const int y, const int dx, const int dy, const int4 c, const int isr2,
                 sums_t *sums)
{
  add_pixel(sums, source_pixel(source, image, x, y), c, isr2, dx, dy);
}

static inline void
add_window_step(WINDOW_PARAM, const int x, const int y, const int x0, const int dy, const int4 c, const int isr2,
                sums_t *sums)
{
  add_step_source(source, image, x, y, x0, dy, c, isr2, sums);
}
