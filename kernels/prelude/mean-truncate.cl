/* SPDX-License-Identifier: MIT */
/*
 * The truncate rule: the integer quotient. The sum of absolute coordinates is never negative, so the relative one is
 * rounded towards minus infinity.
 */
static inline int
mean_of(const int relative, const int n, const int base)
{
  int q = relative / n;

  if (relative - q * n < 0)
    q--;
  return q + base;
}
