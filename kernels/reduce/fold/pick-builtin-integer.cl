/* SPDX-License-Identifier: MIT */
/* The lesser and the greater by the built-in functions. */
#define LESSER(x, y) min(x, y)
#define GREATER(x, y) max(x, y)
