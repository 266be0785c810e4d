/* SPDX-License-Identifier: MIT */
/* Distances of colours in plain C. Twin of bytes-nvidia.cl. */

/* The square of the difference of byte `shift` / 8, in words. */
static inline int
square_in_words(const uint a, const uint b, const uint shift)
{
  const int d = (int)(a >> shift & 255u) - (int)(b >> shift & 255u);

  return d * d;
}

/*
 * The sum of the squared differences of four bytes, plus `start`. Mesa's compilers, whose devices have no doubles, do
 * not know vectors of bytes, which they widen one by one.
 */
static inline uint
square_distance(const uint a, const uint b, const uint start)
{
  if (!HAS_DOUBLES)
    return (uint)(square_in_words(a, b, 0) + square_in_words(a, b, 8) + square_in_words(a, b, 16) +
                  square_in_words(a, b, 24)) +
           start;
  const uint4 d = convert_uint4(abs_diff(as_uchar4(a), as_uchar4(b)));

  return d.x * d.x + d.y * d.y + d.z * d.z + d.w * d.w + start;
}
