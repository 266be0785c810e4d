/* SPDX-License-Identifier: MIT */
/*
 * The colour test in 16 bits, exact while the squared colour radius is below 65535: every square of a channel fits, and
 * each is subtracted from the radius with saturation at zero.
 */
typedef lanes_t limit_t;

static inline limit_t
limit_of(const int isr2)
{
  return (lanes_t)(ushort)(isr2 + 1);
}

/*
 * Computes isr2 + 1 - a - b > c; the saturated difference is zero where two squares exceed the radius, and zero is
 * never larger.
 */
static inline mask_t
within(const lanes_t a, const lanes_t b, const lanes_t c, const limit_t limit)
{
  return subtract_to_zero(subtract_to_zero(limit, a), b) > c;
}
