/* SPDX-License-Identifier: MIT */
/* 32-bit keys in the order of the elements. */
#define KEY(x) ((uint)(x))
