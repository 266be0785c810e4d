/* SPDX-License-Identifier: MIT */
/*
 * The replicate rule: (int)((float)sum * (1.0f / n)). OpenCL lets a float quotient err by 2.5 ulp, so this part rounds
 * the reciprocal to nearest with integers: m = round(2^(23 + l) / n) has 24 bits, and a tie would need n to be a power
 * of two, whose reciprocal is exact.
 */
static inline float
reciprocal_of(const int n)
{
  const int l = 32 - (int)clz((uint)n - 1u);
  const ulong m = ((1ul << (23 + l)) + (ulong)(n / 2)) / (ulong)n;

  return ldexp((float)m, -(23 + l));
}

static inline int
mean_of(const int relative, const int n, const int base)
{
  const long sum = (long)relative + (long)n * (long)base;

  return (int)((float)sum * reciprocal_of(n));
}
