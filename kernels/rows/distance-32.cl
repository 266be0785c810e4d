/* SPDX-License-Identifier: MIT */
/* The colour test in 32 bits, for colour radii of 256 and more. Twin of distance-16.cl. */
typedef uint limit_t;

static inline limit_t
limit_of(const int isr2)
{
  return (uint)isr2;
}

static inline mask_t
within(const lanes_t a, const lanes_t b, const lanes_t c, const limit_t limit)
{
  return narrow_mask(widen(a) + widen(b) + widen(c) <= (wide_t)limit);
}
