/* SPDX-License-Identifier: MIT */
/* The bin of a whole number: exact in 64 bits. Beyond the bins: BELOW, ABOVE. */
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
