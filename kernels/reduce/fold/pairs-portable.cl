/* SPDX-License-Identifier: MIT */
/* The lesser and the greater of two pairs of 16 bits, taken as ushort2 or short2 by AS_PAIR. */
static inline uint
lesser_pair(const uint a, const uint b)
{
  return as_uint(min(AS_PAIR(a), AS_PAIR(b)));
}

static inline uint
greater_pair(const uint a, const uint b)
{
  return as_uint(max(AS_PAIR(a), AS_PAIR(b)));
}
