/* SPDX-License-Identifier: MIT */
/* One step of the innermost loop: four pixels by one vload16. */
static inline void
add_loaded(const uchar16 v, const int dx, const int dy, const int4 c, const int isr2, sums_t *sums)
{
  add_pixel(sums, v.lo.lo, c, isr2, dx, dy);
  add_pixel(sums, v.lo.hi, c, isr2, dx + 1, dy);
  add_pixel(sums, v.hi.lo, c, isr2, dx + 2, dy);
  add_pixel(sums, v.hi.hi, c, isr2, dx + 3, dy);
}

static inline void
add_step_source(SOURCE_PARAM, const int4 image, const int x, const int y, const int x0, const int dy, const int4 c,
                const int isr2, sums_t *sums)
{
  add_loaded(vload16(0, (__global const uchar *)(source + source_index(image, x, y))), x - x0, dy, c, isr2, sums);
}

static inline void
add_step_tile(__local const uchar4 *at, const int dx, const int dy, const int4 c, const int isr2, sums_t *sums)
{
  add_loaded(vload16(0, (__local const uchar *)at), dx, dy, c, isr2, sums);
}
