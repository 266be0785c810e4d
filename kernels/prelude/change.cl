/* SPDX-License-Identifier: MIT */
/*
 * The change of a pixel, which is compared with epsilon: the sum of its shift in x and y and its squared change in
 * colour.
 */
static inline int
change_of(const int2 a, const int2 b, const int4 c, const int4 d)
{
  const int4 e = c - d;
  const uint2 s = abs_diff(a, b);

  return (int)(s.x + s.y) + e.x * e.x + e.y * e.y + e.z * e.z;
}
