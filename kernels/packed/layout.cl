/* SPDX-License-Identifier: MIT */
/*
 * The layout of the packed kernel: a record of four words for four pixels side by side, red, green, blue and 0 in each.
 * A record starts every GRAIN columns: 2 or 4, whichever lets a window fill its QUADS records best. Around the image
 * lies a margin of SP pixels whose fourth byte is 255, which alone exceeds `sr` for every colour. The plan
 * (core/filter/plan/plan-packed.c) also says how many records a row has, the `pitch`.
 */
#define SIDE (2 * SP + 1)
#define STEP (4 / GRAIN) /* records from one quad of a window to the next */
/* The last byte, within the last record, of a window that starts with its first record. */
#define LAST_BYTE (SIDE - 1 - 4 * (QUADS - 1))

/* Columns before the margin that align the windows of the region's first pixels with the start of a record. */
static inline int
shift_of(const int region_x)
{
  return -region_x & (GRAIN - 1);
}
