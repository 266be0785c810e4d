/* SPDX-License-Identifier: MIT */
/*
 * How the packed kernel keeps the picture: a record of four words for four pixels side by side, red, green, blue and 0
 * in each. A record starts every GRAIN columns: 2 or 4, whichever lets the window of a pixel fill its QUADS records
 * best. Round the picture lies a margin of SP pixels whose fourth byte is 255, which alone is farther from every
 * colour than `sr` reaches. The plan reckons with the same numbers (core/filter/plan-packed.c).
 */
#define SIDE (2 * SP + 1)
#define QUADS ((SIDE + GRAIN + 2) / 4)
#define STEP (4 / GRAIN) /* records from one quad of a window to the next */
#define LAST_BYTE                                                                                                      \
  (SIDE - 1 - 4 * (QUADS - 1)) /* where a window that starts with its first record ends: byte of its last */

/* Columns before the margin, so that windows of pairs of pixels start with a record where the region starts. */
static inline int
shift_of(const int region_x)
{
  return -region_x & (GRAIN - 1);
}

static inline int
records_per_row(const int width)
{
  return (width + GRAIN) / GRAIN + STEP * (QUADS - 1) + 1;
}
