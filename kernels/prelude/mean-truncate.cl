/* SPDX-License-Identifier: MIT */
/*
 * The truncate rule: the integer quotient. The whole sum is never negative, so rounding the relative one down is the
 * same.
 */
static inline int
mean_of(const int relative, const int n, const int base)
{
  int q = relative / n;

  if (relative - q * n < 0)
    q--;
  return q + base;
}
