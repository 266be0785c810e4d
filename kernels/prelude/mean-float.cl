/* SPDX-License-Identifier: MIT */
/*
 * The replicate rule: (int)((float)sum * (1.0f / n)). OpenCL permits an error of 2.5 ulp in a float quotient, so this
 * part rounds the reciprocal to nearest in integers: m = round(2^(23 + l) / n) has 24 bits, and a tie would need n to
 * be a power of two, whose reciprocal is exact.
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
