/* SPDX-License-Identifier: MIT */
/*
 * The layout of the matrix kernel: records of 16 words for 4 pixels side by side,
 *   (red, green) of each as a pair of halves     4 words
 *   (blue, 1)                                    4 words
 *   squared length, (lower 9 bits, the rest)     4 words
 *   red, green and blue as bytes of a word each  3 words, and one unused
 * where a half holds the integer n as n / 2^24, so that its bits are n. A margin of SP pixels is infinitely far from
 * every colour. The image is stored in strips of 64 columns, so that the row stride is a constant.
 * core/filter/plan/plan-matrix.c uses the same numbers.
 */
#define SIDE (2 * SP + 1)
#define RECORD 16
#define STRIP_QUADS 16
#define LINE (RECORD * STRIP_QUADS)
#define HALF_ONE 0x3c00u

/*
 * Rows of a strip for a number of rows held: with the margins, and three that a window's last step of four rows may
 * read.
 */
static inline int
strip_rows(const int held)
{
  return held + 2 * SP + 4;
}
