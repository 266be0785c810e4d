/* SPDX-License-Identifier: MIT */
/*
 * The layout of the packed kernel: a record of four words for four pixels side by side, red, green, blue and 0 in each.
 * A record starts every GRAIN columns: 2 or 4, whichever lets a window fill its QUADS records best. Around the image
 * lies a margin of SP pixels whose fourth byte is 255, which alone exceeds `sr` for every colour. Rows are 8 n + 5
 * records long: work-items read below each other, and with rows of whole lines of a cache of 128 bytes, which a GPU
 * reads word by word at the same time, all would wait for the same words.
 * core/filter/plan/plan-packed.c uses the same numbers.
 */
#define SIDE (2 * SP + 1)
#define QUADS ((SIDE + GRAIN + 2) / 4)
#define STEP (4 / GRAIN) /* records from one quad of a window to the next */
/* The last byte, within the last record, of a window that starts with its first record. */
#define LAST_BYTE (SIDE - 1 - 4 * (QUADS - 1))

/* Columns before the margin that align the windows of the region's first pixels with the start of a record. */
static inline int
shift_of(const int region_x)
{
  return -region_x & (GRAIN - 1);
}

static inline int
records_per_row(const int width)
{
  const int least = (width + GRAIN) / GRAIN + STEP * (QUADS - 1) + 1;

  return least + ((5 - least) & 7);
}
