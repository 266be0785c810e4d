/* SPDX-License-Identifier: MIT */
/* A partial's values travel between groups as 64-bit words: here the bits of a float. */
#define TO_WORD(x) ((ulong)as_uint((float)(x)))
#define FROM_WORD(type, w) as_float((uint)(w))
