/* SPDX-License-Identifier: MIT */
/*
 * Which samples a window counts: those that have data and whose colour is near enough.
 *
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

/* The plan names a colour test as TEST: in_16 or in_32. */
#define limit_t JOIN_NAMES(limit_, TEST)
#define limit_of JOIN_NAMES(limit_of_, TEST)
#define within JOIN_NAMES(within_, TEST)

typedef lanes_t limit_in_16;
typedef uint limit_in_32;

/*
 * Exact while the squared colour radius is below 65535: every square of a channel fits 16 bits, and each is subtracted
 * from the radius with saturation at zero.
 */
static inline limit_in_16
limit_of_in_16(const int isr2)
{
  return (lanes_t)(ushort)(isr2 + 1);
}

/*
 * Computes isr2 + 1 - a - b > c; the saturated difference is zero where two squares exceed the radius, and zero is
 * never larger.
 */
static inline mask_t
within_in_16(const lanes_t a, const lanes_t b, const lanes_t c, const limit_in_16 limit)
{
  return subtract_to_zero(subtract_to_zero(limit, a), b) > c;
}

/* For larger radii. */
static inline limit_in_32
limit_of_in_32(const int isr2)
{
  return (uint)isr2;
}

static inline mask_t
within_in_32(const lanes_t a, const lanes_t b, const lanes_t c, const limit_in_32 limit)
{
  return narrow_mask(widen(a) + widen(b) + widen(c) <= (wide_t)limit);
}
