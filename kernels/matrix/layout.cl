/* SPDX-License-Identifier: MIT */
/*
 * The layout of the matrix kernel: records of 16 words for 4 pixels side by side,
 *   (red, green) of each as a pair of halves     4 words
 *   (blue, 1)                                    4 words
 *   squared length, (lower 9 bits, the rest)     4 words
 *   red, green and blue as bytes of a word each  3 words, and one unused
 * where a half holds the integer n as n / 2^24, so that its bits are n. A margin of SP pixels is infinitely far from
 * every colour. The image is stored in strips of 64 columns, so that the row stride is a constant.
 * The plan (core/filter/plan/plan-matrix.c) says how many records a strip has in a row (STRIP_QUADS), and how many rows
 * besides those held (PADDING_ROWS).
 */
#define SIDE (2 * SP + 1)
#define RECORD 16
#define LINE (RECORD * STRIP_QUADS)
#define HALF_ONE 0x3c00u
