/* SPDX-License-Identifier: MIT */
/* Divides the picture into leaves; a work-item divides one block. */
typedef struct {
  ushort c[3][BLOCK * BLOCK];
  ushort x[BLOCK * BLOCK];
  ushort y[BLOCK * BLOCK];
} block_pixels_t;

/* Pixels beyond the edge of the picture repeat its colours; no window includes their positions. */
static inline void
read_block(block_pixels_t *block, __global const uint *source, const int4 image, const int left, const int top)
{
  for (int i = 0; i < BLOCK * BLOCK; i++) {
    const int x = left + i % BLOCK, y = top + i / BLOCK;
    const uint pixel = source[(size_t)min(y, image.w - 1) * (size_t)image.x + (size_t)min(x, image.x - 1)];

    for (int k = 0; k < 3; k++)
      block->c[k][i] = (ushort)(pixel >> 8 * k & 255u);
    block->x[i] = (ushort)x;
    block->y[i] = (ushort)y;
  }
}

static inline int
widest_channel(const block_pixels_t *block)
{
  int widest = 0, extent = -1;

  for (int k = 0; k < 3; k++) {
    ushort low = 255, high = 0;

    for (int i = 0; i < BLOCK * BLOCK; i++) {
      low = min(low, block->c[k][i]);
      high = max(high, block->c[k][i]);
    }
    widest = high - low > extent ? k : widest;
    extent = max(extent, high - low);
  }
  return widest;
}

/* The rank of each pixel by one channel; equal values keep their order. */
static inline void
rank_pixels(ushort *ranks, const ushort *channel)
{
  ushort keys[BLOCK * BLOCK];

  for (int i = 0; i < BLOCK * BLOCK; i++) {
    keys[i] = (ushort)(channel[i] << 6 | i);
    ranks[i] = 0;
  }
  for (int j = 0; j < BLOCK * BLOCK; j++)
    for (int i = 0; i < BLOCK * BLOCK; i++)
      ranks[i] += keys[i] > keys[j];
}

/* Writes plane `k` of the two leaves, and returns their sums. */
static inline int2
write_plane(__global ushort *samples, const ushort *ranks, const ushort *values, const int k)
{
  int sums[2] = {0, 0};

  for (int i = 0; i < BLOCK * BLOCK; i++) {
    const int leaf = ranks[i] / LEAF;

    samples[(leaf * LEAF_PLANES + k) * LEAF + ranks[i] % LEAF] = values[i];
    sums[leaf] += values[i];
  }
  return (int2)(sums[0], sums[1]);
}

static inline void
write_bounds(__global ushort *summary, const int pitch, const ushort *ranks, const ushort *values, const int k)
{
  ushort low[2] = {255, 255}, high[2] = {0, 0};

  for (int i = 0; i < BLOCK * BLOCK; i++) {
    const int leaf = ranks[i] / LEAF;

    low[leaf] = min(low[leaf], values[i]);
    high[leaf] = max(high[leaf], values[i]);
  }
  for (int leaf = 0; leaf < 2; leaf++) {
    summary[k * pitch + leaf] = low[leaf];
    summary[(3 + k) * pitch + leaf] = high[leaf];
  }
}

static inline void
write_sums(__global ushort *summary, const int pitch, const int2 sums, const int k)
{
  summary[(6 + k) * pitch] = (ushort)sums.x;
  summary[(6 + k) * pitch + 1] = (ushort)sums.y;
}

__kernel void
prepare_leaves(__global const uint *source, __global ushort *leaves, const int4 image)
{
  const int column = (int)get_global_id(0), row = (int)get_global_id(1), pitch = leaf_pitch(image.x);
  __global ushort *block_row = leaves + (size_t)row * (size_t)(pitch * (SUMMARIES + LEAF_PLANES * LEAF));
  __global ushort *summary = block_row + 2 * column;
  __global ushort *samples = block_row + pitch * SUMMARIES + 2 * column * LEAF_PLANES * LEAF;
  block_pixels_t block;
  ushort ranks[BLOCK * BLOCK];

  if (column * BLOCK >= image.x || row * BLOCK >= image.w)
    return;
  read_block(&block, source, image, column * BLOCK, row * BLOCK);
  rank_pixels(ranks, block.c[widest_channel(&block)]);
  for (int k = 0; k < 3; k++) {
    write_bounds(summary, pitch, ranks, block.c[k], k);
    write_sums(summary, pitch, write_plane(samples, ranks, block.c[k], k), k);
  }
  write_sums(summary, pitch, write_plane(samples, ranks, block.x, 3), 3);
  write_sums(summary, pitch, write_plane(samples, ranks, block.y, 4), 4);
}
