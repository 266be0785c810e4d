/* SPDX-License-Identifier: MIT */
/* Four bytes at a time in plain C. Twin of bytes-nvidia.cl. */

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

/* 255 in each byte whose number is negative, 0 in the others. */
static inline uint
signs(const uint a, const uint b, const uint c, const uint d)
{
  return (a >> 31) * 0xffu | (b >> 31) * 0xff00u | (c >> 31) * 0xff0000u | (d >> 31) * 0xff000000u;
}

/*
 * `sum` minus those bytes of `values` whose byte of `mask` is 255, two pairs of bytes at a time. With a vector of four
 * bytes, PoCL 7.1 (LLVM 21) computes wrong sums for sp 1 on processors with AVX-512.
 */
static inline int
take_bytes(const uint mask, const uint values, const int sum)
{
  const uint taken = mask & values, pairs = (taken & 0x00ff00ffu) + (taken >> 8 & 0x00ff00ffu);

  return sum - (int)((pairs & 0xffffu) + (pairs >> 16));
}

/* Red, green and blue of four pixels: one word for each channel. */
static inline uint4
planes_of(const uint4 pixels)
{
  const uint4 red = pixels & 255u, green = pixels >> 8 & 255u, blue = pixels >> 16 & 255u;

  return (uint4)(red.x | red.y << 8 | red.z << 16 | red.w << 24, green.x | green.y << 8 | green.z << 16 | green.w << 24,
                 blue.x | blue.y << 8 | blue.z << 16 | blue.w << 24, 0u);
}
