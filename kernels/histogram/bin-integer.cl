/* SPDX-License-Identifier: MIT */
/* The bin of an integer, exact in 64 bits. Outside the range: BELOW or ABOVE, counted after the bins. */
typedef long edge_t;

static uint
bin_of(const ELEM x, const edge_t low, const edge_t high, const edge_t scale, const uint bins)
{
  const long v = (long)x;

  if (v < low)
    return bins + BELOW;
  if (v > high)
    return bins + ABOVE;
  return min((uint)((ulong)(v - low) * bins / (ulong)(high - low)), bins - 1);
}
