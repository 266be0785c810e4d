/* SPDX-License-Identifier: MIT */
/* One step of the innermost loop: one pixel by one vload4. */
static inline void
add_loaded(const uchar4 v, const int dx, const int dy, const int4 c, const int isr2, sums_t *sums)
{
  add_pixel(sums, v, c, isr2, dx, dy);
}

static inline void
add_step_source(SOURCE_PARAM, const int4 image, const int x, const int y, const int x0, const int dy, const int4 c,
                const int isr2, sums_t *sums)
{
  add_loaded(vload4(0, (__global const uchar *)(source + source_index(image, x, y))), x - x0, dy, c, isr2, sums);
}

static inline void
add_step_tile(__local const uchar4 *at, const int dx, const int dy, const int4 c, const int isr2, sums_t *sums)
{
  add_loaded(vload4(0, (__local const uchar *)at), dx, dy, c, isr2, sums);
}
