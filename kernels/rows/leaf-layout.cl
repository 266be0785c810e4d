/* SPDX-License-Identifier: MIT */
/*
 * The layout of a picture in leaves. Each block of 8 x 8 pixels is divided into two leaves of 32 pixels by the channel
 * in which its colours differ most, so that the colours of a leaf lie close together. A row of blocks begins with the
 * summaries, one number for each leaf: minimum and maximum of each channel, and the sums of channels, columns and rows.
 * The samples of each leaf follow: channels, columns and rows. Columns and rows count modulo 2^16. The plan uses the
 * same numbers (core/filter/plan/plan-rows.c).
 */
#define BLOCK 8
#define LEAF 32
#define LEAF_PLANES 5
#define SUMMARIES 11

/* The leaves of a row of blocks, padded by what a vector may read beyond the last. */
static inline int
leaf_pitch(const int width)
{
  return ((width + BLOCK - 1) / BLOCK * 2 + 47) / 16 * 16;
}

static inline int
pitch_of(const int width, const int radius)
{
  return leaf_pitch(width);
}

static inline int
margin_of(const int radius)
{
  return 0;
}

/* The reach of windows: the whole radius, rounded up where `sp` has a half, and the radius with its fraction. */
typedef struct {
  int radius;
  float sp;
} reach_t;
