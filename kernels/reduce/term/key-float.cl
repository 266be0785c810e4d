/* SPDX-License-Identifier: MIT */
/* 32-bit keys in the order of the elements: negative floats have all bits turned, the others the sign. */
#define KEY(x) (as_uint(x) ^ ((uint)(as_int(x) >> 31) | 0x80000000u))
