/* SPDX-License-Identifier: MIT */
/*
 * Means without doubles, of sums below 2^31 and counts `n` up to 129 * 129: WORDS is int or a vector of it, FLOATS the
 * same of float. A quotient in floats is at most one away from the right one, and its remainder tells.
 *
 * The opencv rule takes rint(sum * R), R being 1 / n rounded to a double, which is the nearest integer but on exact
 * ties: with 2^l the least power of two >= n, R is m * 2^-(52 + l) for a whole m, and the sign of the error
 * m * n - 2^(52 + l) decides, unless the product is rounded to the tie itself, which then becomes even.
 */
#pragma OPENCL FP_CONTRACT OFF

#define TO_WORDS JOIN_NAMES(convert_, WORDS)
#define TO_FLOATS JOIN_NAMES(convert_, FLOATS)
#define AS_WORDS JOIN_NAMES(as_, WORDS)
#define AS_FLOATS JOIN_NAMES(as_, FLOATS)

/* The greatest power of two that is at most `v`, which floats hold exactly. */
static inline WORDS
power_in(const WORDS v)
{
  return TO_WORDS(AS_FLOATS(AS_WORDS(TO_FLOATS(v)) & 0x7f800000));
}

/* The error of the reciprocal of `n`: 2^l mod n, times 2^13 four times, nearest to 0 and with the other sign. */
static inline WORDS
error_of(const WORDS n, const FLOATS reciprocal)
{
  WORDS rest = power_in(2 * n - 1) - n;

  for (int i = 0; i < 4; i++) {
    rest *= 8192;
    rest -= TO_WORDS(TO_FLOATS(rest) * reciprocal) * n;
  }
  rest = 2 * rest > n ? rest - n : rest;
  rest = 2 * rest < -n ? rest + n : rest;
  return -rest;
}

/* The integer below or equal to sum / n. */
static inline WORDS
floor_of(const WORDS sum, const WORDS n, const FLOATS reciprocal)
{
  const WORDS near = TO_WORDS(TO_FLOATS(sum) * reciprocal), rest = sum - near * n;

  return rest < 0 ? near - 1 : (rest >= n ? near + 1 : near);
}

/* rint(sum * R). At a tie the product is off by tie * error * 2^-(52 + l), which is compared with half an ulp of it. */
static inline WORDS
nearest_of(const WORDS sum, const WORDS n, const FLOATS reciprocal, const WORDS error)
{
  const WORDS near = TO_WORDS(TO_FLOATS(sum) * reciprocal + 0.5f), rest = 2 * (sum - near * n) + n;
  const WORDS upper = rest < 0 ? near - 1 : (rest >= 2 * n ? near + 1 : near);
  /* A tie is odd / 2, between `upper` - 1 and `upper`; both sides of its comparison are halved to fit 31 bits. */
  const WORDS odd = 2 * upper - 1, off = odd * (error < 0 ? -error : error);
  const WORDS half_ulp = power_in(odd) * (power_in(2 * n - 1) >> 2);
  const WORDS falls = (off + 1) >> 1 <= half_ulp ? (upper & 1) != 0 : error <= 0;

  return ((rest == 0) | (rest == 2 * n)) & falls ? upper - 1 : upper;
}
