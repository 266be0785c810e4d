/* SPDX-License-Identifier: MIT */
/*
 * How far a pixel has moved: the sum of the steps in place and the squared steps in colour, which epsilon is compared
 * with.
 */
static inline int
change_of(const int2 a, const int2 b, const int4 c, const int4 d)
{
  const int4 e = c - d;
  const uint2 s = abs_diff(a, b);

  return (int)(s.x + s.y) + e.x * e.x + e.y * e.y + e.z * e.z;
}
