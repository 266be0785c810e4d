/* SPDX-License-Identifier: MIT */
/* The bin of a floating-point number, in its own arithmetic. Outside the range: BELOW, ABOVE or NOT_A_NUMBER. */
typedef ELEM edge_t;

static uint
bin_of(const ELEM x, const edge_t low, const edge_t high, const edge_t scale, const uint bins)
{
  if (x < low)
    return bins + BELOW;
  if (x > high)
    return bins + ABOVE;
  if (x != x)
    return bins + NOT_A_NUMBER;
  return min((uint)((x - low) * scale), bins - 1);
}
