/* SPDX-License-Identifier: MIT */
/* A partial's values travel between groups as 64-bit words: here the bits of a double. */
#define TO_WORD(x) as_ulong((double)(x))
#define FROM_WORD(type, w) as_double(w)
