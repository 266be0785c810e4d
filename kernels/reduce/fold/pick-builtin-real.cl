/* SPDX-License-Identifier: MIT */
/* The lesser and the greater by the built-in functions; fmin and fmax pass over a NaN. */
#define LESSER(x, y) fmin(x, y)
#define GREATER(x, y) fmax(x, y)
