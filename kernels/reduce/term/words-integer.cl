/* SPDX-License-Identifier: MIT */
/* A partial's values travel between groups as 64-bit words: here whole numbers, sign-extended. */
#define TO_WORD(x) ((ulong)(long)(x))
#define FROM_WORD(type, w) ((type)(w))
