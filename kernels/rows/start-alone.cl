/* SPDX-License-Identifier: MIT */
/* Every pixel of a tile is in the list from the first iteration on. Twin of start-neighbours.cl. */
#define FIRST_LATER_STEP 0

/* limits: (left, top, right, bottom) of the tile. */
static inline void
start_tile(tile_t *tile, const picture_t *picture, __global const uint *source, const marks_t marks, const int4 limits,
           const int epsilon)
{
  for (int y = limits.y; y < limits.w; y++) {
    __global const uint *row = source + (size_t)(y - picture->first_held) * (size_t)picture->width;

    for (int x = limits.x; x < limits.z; x++)
      if (is_marked(marks, x, y)) {
        const uint place = (uint)(x - tile->x) | (uint)(y - tile->y) << 16;
        const uint number = (uint)((y - limits.y) * TILE_WIDTH + x - limits.x);

        tile->waiting[tile->count++] = (ulong)place | (ulong)((row[x] & 0xffffffu) | number << 24) << 32;
      }
  }
}
