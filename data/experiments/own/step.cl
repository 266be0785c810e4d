/* One step of the innermost loop, UNROLL pixels: a copy of kernels/direct/step-pointer.cl to change and to measure. */
static inline void
add_step_source(SOURCE_PARAM, const int4 image, const int x, const int y, const int x0, const int dy, const int4 c,
                const int isr2, sums_t *sums)
{
#pragma unroll
  for (int k = 0; k < UNROLL; k++)
    add_pixel(sums, source_pixel(source, image, x + k, y), c, isr2, x + k - x0, dy);
}

static inline void
add_step_tile(__local const uchar4 *at, const int dx, const int dy, const int4 c, const int isr2, sums_t *sums)
{
#pragma unroll
  for (int k = 0; k < UNROLL; k++)
    add_pixel(sums, at[k], c, isr2, dx + k, dy);
}
