/* SPDX-License-Identifier: MIT */
/* One step of the innermost loop: UNROLL pixels by one load of STEP_BYTES. */
#define LOADED JOIN_NAMES(uchar, STEP_BYTES)
#define LOAD JOIN_NAMES(vload, STEP_BYTES)

#define EACH_PIXEL_4(DO) DO(v, 0)
#define EACH_PIXEL_8(DO) DO(v.lo, 0) DO(v.hi, 1)
#define EACH_PIXEL_16(DO) DO(v.lo.lo, 0) DO(v.lo.hi, 1) DO(v.hi.lo, 2) DO(v.hi.hi, 3)
#define ADD_LOADED(pixel, k) add_pixel(sums, pixel, c, isr2, dx + k, dy);

static inline void
add_loaded(const LOADED v, const int dx, const int dy, const int4 c, const int isr2, sums_t *sums)
{
  JOIN_NAMES(EACH_PIXEL_, STEP_BYTES)(ADD_LOADED)
}

static inline void
add_step_source(SOURCE_PARAM, const int4 image, const int x, const int y, const int x0, const int dy, const int4 c,
                const int isr2, sums_t *sums)
{
  add_loaded(LOAD(0, (__global const uchar *)(source + source_index(image, x, y))), x - x0, dy, c, isr2, sums);
}

static inline void
add_step_tile(__local const uchar4 *at, const int dx, const int dy, const int4 c, const int isr2, sums_t *sums)
{
  add_loaded(LOAD(0, (__local const uchar *)at), dx, dy, c, isr2, sums);
}
