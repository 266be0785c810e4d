/* SPDX-License-Identifier: MIT */
/*
 * Where NO_DATA is 1, the planes hold the fourth byte above blue. It is 0 but in pixels without data, so that blue
 * exceeds a byte there, and no window counts them.
 */
#define BLUE_BITS (NO_DATA ? 0xffffu : 255u)

static inline mask_t
has_data(const lanes_t blue)
{
  return NO_DATA ? blue < (lanes_t)256 : (mask_t)-1;
}

/* Red, green and blue of pixels with what lies above blue. */
static inline wide_t
colour_bits(const wide_t pixels)
{
  return NO_DATA ? pixels & (wide_t)0xffffffu : pixels;
}
