/* SPDX-License-Identifier: MIT */
/*
 * The opencv rule on devices without doubles. rint(s * rn(1 / n)) is the nearest integer except on exact ties, where
 * the error of the rounded reciprocal decides. With 2^l the least power of two >= n, the reciprocal is m * 2^-(52 + l)
 * for a whole m, and e = m * n - 2^(52 + l) is its error. At the tie t = (2q + 1) / 2 the product is off by t * e *
 * 2^-(52 + l); where that is within half an ulp of t, the product rounds to t itself and then to the even neighbour,
 * else the sign of e decides.
 */
static inline int
log2_ceil(const uint n)
{
  return 32 - (int)clz(n - 1u);
}

static inline int
tie_goes_up(const int q, const int n)
{
  const int l = log2_ceil((uint)n);
  const ulong m = (ulong)n;
  /* 2^(52 + l) mod n without 128 bits: 2^32 mod n is below 2^15, and 20 + l is at most 35. */
  const ulong rest = (((1ul << 32) % m) << (20 + l)) % m;
  const int up = rest + rest > m;
  const ulong error = up ? m - rest : rest;
  const ulong odd = 2ul * (ulong)q + 1ul;
  const int exponent = 63 - (int)clz(odd) - 1;
  /* Below the tie 1/2, a power of two, half an ulp is half as large. */
  const int half_ulp = exponent + l - (q == 0 && !up ? 1 : 0);
  const int to_tie = half_ulp >= 0 ? odd * error <= (1ul << half_ulp) : error == 0ul;

  return to_tie ? (q & 1) : up;
}

static inline int
mean_of(const int relative, const int n, const int base)
{
  int q = relative / n;
  int rest = relative - q * n;

  if (rest < 0) {
    rest += n;
    q--;
  }
  q += base;
  if (2 * rest == n)
    return q + tie_goes_up(q, n);
  return 2 * rest > n ? q + 1 : q;
}
