/* SPDX-License-Identifier: MIT */
/* Starts the pixels of a tile and iterates until all have converged. */
static inline void
filter_tile(tile_t *tile, const picture_t *picture, __global const uint *source, const marks_t marks,
            const int4 limits, const int4 filter)
{
  tile->x = limits.x - DRIFT;
  tile->y = limits.y - DRIFT;
  tile->count = 0;
  tile->waiting[0] = 0;
  forget_merged(&tile->merged);
  start_tile(tile, picture, source, marks, limits, filter.w);
  for (int i = 1; i < filter.z && tile->count > 0; i++)
    next_step(tile, picture, filter.w);
  take_colours(&tile->merged, tile->colours);
  if (HAS_MODES)
    take_colours(&tile->merged, tile->places);
}

/* A work-item filters TILES tiles below each other; the later ones know the windows of the earlier ones. */
__kernel void
mean_shift_rows(__global const uint *source, __global uint *result, __global const ushort *planes,
                const int4 image, const int margin, const int pitch, const int4 region, const int4 band,
                const int4 filter, const float sp MARKS_PARAM MODES_PARAM)
{
  const int left = band.x + (int)get_global_id(0) * TILE_WIDTH,
            top = band.y + (int)get_global_id(1) * (TILE_HEIGHT * TILES);
  const int right = min(left + TILE_WIDTH, band.x + band.z), bottom = min(top + TILE_HEIGHT * TILES, band.y + band.w);
  const picture_t picture = {planes + margin,
                             planes + (size_t)image.w * (size_t)(PLANES * pitch),
                             pitch,
                             column_pitch_of(image.w),
                             image.x,
                             image.y,
                             image.z,
                             {filter.x, sp},
                             limit_of(filter.y)};
  const marks_t marks = MARKS_OF(image);
  tile_t tile;

  forget_windows(&tile.memo);
  for (int y = top; y < bottom; y += TILE_HEIGHT) {
    const int4 limits = (int4)(left, y, right, min(y + TILE_HEIGHT, bottom));

    filter_tile(&tile, &picture, source, marks, limits, filter);
    for (int i = y; i < limits.w; i++) {
      __global const uint *from = source + (size_t)(i - image.z) * (size_t)image.x;
      __global uint *to = result + (size_t)(i - region.y) * (size_t)region.z - region.x;

      for (int x = left; x < right; x++) {
        const int number = (i - y) * TILE_WIDTH + x - left;

        if (is_marked(marks, x, i)) {
          STORE_MODE((size_t)(to + x - result), (int)(tile.places[number] & 0xffffu) + tile.x,
                     (int)(tile.places[number] >> 16) + tile.y);
          to[x] = (tile.colours[number] & 0xffffffu) | (from[x] & 0xff000000u);
        }
      }
    }
  }
}
