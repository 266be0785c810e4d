/* SPDX-License-Identifier: MIT */
/*
 * Keys are sorted as uint, in IEEE total order: negative floats with all bits turned round, the others with the sign.
 */
#define KEY_OF(x) (as_uint(x) ^ ((uint)(as_int(x) >> 31) | 0x80000000u))
#define ELEMENT_OF(key) as_float((key) & 0x80000000u ? (key) ^ 0x80000000u : ~(key))
