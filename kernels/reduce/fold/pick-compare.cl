/* SPDX-License-Identifier: MIT */
/* The lesser and the greater by comparison; a NaN in x compares false and is passed over. */
#define LESSER(x, y) ((x) < (y) ? (x) : (y))
#define GREATER(x, y) ((x) > (y) ? (x) : (y))
