/* SPDX-License-Identifier: MIT */
/*
 * The lesser and the greater of two pairs of 16 bits in one instruction, on NVIDIA devices from compute capability 9.0
 * on; PAIR is u16x2 or s16x2. Twin of pairs-portable.cl.
 */
#define IN_TEXT(x) #x
#define TEXT_OF(x) IN_TEXT(x)

static inline uint
lesser_pair(const uint a, const uint b)
{
  uint result;
  asm("min." TEXT_OF(PAIR) " %0, %1, %2;" : "=r"(result) : "r"(a), "r"(b));
  return result;
}

static inline uint
greater_pair(const uint a, const uint b)
{
  uint result;
  asm("max." TEXT_OF(PAIR) " %0, %1, %2;" : "=r"(result) : "r"(a), "r"(b));
  return result;
}
