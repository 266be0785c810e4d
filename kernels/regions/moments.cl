/* SPDX-License-Identifier: MIT */
/*
 * Adds up the pixels of each region: sums and sums of squares of each channel, and of columns and rows, the number of
 * pixels and the bounding box, all as integers. A work-item takes SPAN pixels, and adds those of one region that follow
 * each other before it adds them to the region. labels count from 1; image: (width, height).
 *
 * sums: ENTRY numbers for each region, which start as 0: columns, rows, three channels and their squares as in wide.cl,
 * pixels, and the largest column from the right border, row from the lower border, column and row. So every extreme is
 * a largest number, for which 0 is no pixel's or the first one's.
 */
#define COLUMNS 0
#define ROWS 2
#define CHANNELS 4
#define SQUARES 10
#define PIXELS 16
#define BOX 17

typedef struct {
  ulong columns;
  ulong rows;
  uint pixels;
  VECTOR(uint) moments[2];
  uint4 box;
} run_t;

static inline void
add_pixel(run_t *run, const int x, const int y, const int2 image, const VECTOR(uint) colour)
{
  run->columns += (uint)x;
  run->rows += (uint)y;
  run->pixels++;
  run->box = max(run->box, (uint4)((uint)(image.x - 1 - x), (uint)(image.y - 1 - y), (uint)x, (uint)y));
  FOLD_MOMENTS(VECTOR(uint), run->moments, colour)
}

static inline void
add_channels(volatile __global uint *sums, const VECTOR(uint) channels)
{
  add_wide(sums, channels.s0);
  add_wide(sums + 2, channels.s1);
  add_wide(sums + 4, channels.s2);
}

static inline void
add_run(volatile __global uint *sums, const run_t *run)
{
  add_wide(sums + COLUMNS, run->columns);
  add_wide(sums + ROWS, run->rows);
  add_channels(sums + CHANNELS, run->moments[0]);
  add_channels(sums + SQUARES, run->moments[1]);
  atomic_add(sums + PIXELS, run->pixels);
  atomic_max(sums + BOX, run->box.s0);
  atomic_max(sums + BOX + 1, run->box.s1);
  atomic_max(sums + BOX + 2, run->box.s2);
  atomic_max(sums + BOX + 3, run->box.s3);
}

__kernel void
sum_regions(__global const uint *labels, __global const uchar4 *pixels, volatile __global uint *sums, const int2 image)
{
  const size_t n = (size_t)image.x * (size_t)image.y, start = get_global_id(0) * SPAN, end = min(start + SPAN, n);
  int x = (int)(start % (size_t)image.x), y = (int)(start / (size_t)image.x);

  for (size_t i = start; i < end;) {
    const uint label = labels[i];
    run_t run = {0};

    for (; i < end && labels[i] == label; i++) {
      add_pixel(&run, x, y, image, CONVERT(uint)(pixels[i]));
      x++;
      if (x == image.x) {
        x = 0;
        y++;
      }
    }
    add_run(sums + (size_t)(label - 1) * ENTRY, &run);
  }
}
