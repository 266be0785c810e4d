/* SPDX-License-Identifier: MIT */
/* The lesser and the greater of two pairs of 16 bits. The plan names one of the two macros as PICK_PAIR. */

/* One instruction, on NVIDIA devices from compute capability 9.0 on; PAIR is u16x2 or s16x2. */
#define IN_TEXT(x) #x
#define TEXT_OF(x) IN_TEXT(x)
#define BY_INSTRUCTION(pick, result, a, b) \
  asm(#pick "." TEXT_OF(PAIR) " %0, %1, %2;" : "=r"(result) : "r"(a), "r"(b))

/* AS_PAIR takes a pair as ushort2 or short2. */
#define BY_VECTORS(pick, result, a, b) result = as_uint(pick(AS_PAIR(a), AS_PAIR(b)))

static inline uint
lesser_pair(const uint a, const uint b)
{
  uint result;
  PICK_PAIR(min, result, a, b);
  return result;
}

static inline uint
greater_pair(const uint a, const uint b)
{
  uint result;
  PICK_PAIR(max, result, a, b);
  return result;
}
