/* SPDX-License-Identifier: MIT */
/* Four bytes at a time on NVIDIA devices from compute capability 6.1 on, in PTX. Twin of bytes-portable.cl. */

/* The sum of the squared differences of four bytes, plus `start`. */
static inline uint
square_distance(const uint a, const uint b, const uint start)
{
  uint result;
  asm("{ .reg .b32 d, zero; mov.u32 zero, 0; vabsdiff4.u32.u32.u32 d, %1, %2, zero; dp4a.u32.u32 %0, d, d, %3; }"
      : "=r"(result)
      : "r"(a), "r"(b), "r"(start));
  return result;
}

/* 255 in each byte whose number is negative, 0 in the others. */
static inline uint
signs(const uint a, const uint b, const uint c, const uint d)
{
  uint result;
  asm("{ .reg .b32 low, high; prmt.b32 low, %1, %2, 0xfbfb; prmt.b32 high, %3, %4, 0xfbfb; prmt.b32 %0, low, high, "
      "0x7610; }"
      : "=r"(result)
      : "r"(a), "r"(b), "r"(c), "r"(d));
  return result;
}

/* `sum` minus those bytes of `values` whose byte of `mask` is 255. */
static inline int
take_bytes(const uint mask, const uint values, const int sum)
{
  int result;
  asm("dp4a.s32.u32 %0, %1, %2, %3;" : "=r"(result) : "r"(mask), "r"(values), "r"(sum));
  return result;
}

/* Red, green and blue of four pixels: one word for each channel. */
static inline uint4
planes_of(const uint4 pixels)
{
  uint4 planes = (uint4)(0, 0, 0, 0);
  asm("{ .reg .b32 a, b, c, d; prmt.b32 a, %3, %4, 0x5140; prmt.b32 b, %5, %6, 0x5140; prmt.b32 c, %3, %4, 0x0062;"
      " prmt.b32 d, %5, %6, 0x6200; prmt.b32 %0, a, b, 0x5410; prmt.b32 %1, a, b, 0x7632; prmt.b32 %2, c, d, 0x7610; }"
      : "=r"(planes.x), "=r"(planes.y), "=r"(planes.z)
      : "r"(pixels.x), "r"(pixels.y), "r"(pixels.z), "r"(pixels.w));
  return planes;
}
