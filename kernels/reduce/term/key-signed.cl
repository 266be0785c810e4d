/* SPDX-License-Identifier: MIT */
/* 32-bit keys in the order of the elements. */
#define KEY(x) ((uint)(int)(x) ^ 0x80000000u)
