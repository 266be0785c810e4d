/* SPDX-License-Identifier: MIT */
/*
 * The colour test in 16 bits, exact while the squared colour radius is below 65535: every square of a channel fits, and each is
 * taken off the radius in turn, never below zero.
 */
typedef lanes_t limit_t;

static inline limit_t
limit_of(const int isr2)
{
  return (lanes_t)(ushort)(isr2 + 1);
}

static inline lanes_t
take_off(const lanes_t left, const lanes_t square)
{
  return (left > square ? left : square) - square;
}

/* isr2 + 1 - a - b > c; what is left after two squares is zero where they exceed the radius, and zero exceeds nothing. */
static inline mask_t
within(const lanes_t a, const lanes_t b, const lanes_t c, const limit_t limit)
{
  return take_off(take_off(limit, a), b) > c;
}
