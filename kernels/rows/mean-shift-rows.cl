/* SPDX-License-Identifier: MIT */
/* A work-item filters a tile: it starts its pixels, iterates until all have converged, and writes them. */
__kernel void
mean_shift_rows(__global const uint *source, __global uint *result, __global const ushort *planes,
                const int4 image, const int4 region, const int4 band, const int4 filter, const float sp
                MARKS_PARAM MODES_PARAM)
{
  const int left = band.x + (int)get_global_id(0) * TILE_WIDTH,
            top = band.y + (int)get_global_id(1) * TILE_HEIGHT;
  const int right = min(left + TILE_WIDTH, band.x + band.z), bottom = min(top + TILE_HEIGHT, band.y + band.w);
  const picture_t picture = {planes + margin_of(filter.x),
                             pitch_of(image.x, filter.x),
                             image.x,
                             image.y,
                             image.z,
                             {filter.x, sp},
                             limit_of(filter.y)};
  const marks_t marks = MARKS_OF(image);
  tile_t tile;

  tile.x = left - DRIFT;
  tile.y = top - DRIFT;
  tile.count = 0;
  tile.waiting[0] = 0;
  forget_all(&tile.alike);
  start_tile(&tile, &picture, source, marks, (int4)(left, top, right, bottom), filter.w);
  for (int i = FIRST_LATER_STEP; i < filter.z && tile.count > 0; i++)
    next_step(&tile, &picture, filter.w);
  take_colours(&tile.alike, tile.colours);
  if (HAS_MODES)
    take_colours(&tile.alike, tile.places);
  for (int y = top; y < bottom; y++) {
    __global const uint *from = source + (size_t)(y - image.z) * (size_t)image.x;
    __global uint *to = result + (size_t)(y - region.y) * (size_t)region.z - region.x;
    for (int x = left; x < right; x++)
      if (is_marked(marks, x, y)) {
        STORE_MODE((size_t)(to + x - result), (int)(tile.places[(y - top) * TILE_WIDTH + x - left] & 0xffffu) + tile.x,
                   (int)(tile.places[(y - top) * TILE_WIDTH + x - left] >> 16) + tile.y);
        to[x] = (tile.colours[(y - top) * TILE_WIDTH + x - left] & 0xffffffu) | (from[x] & 0xff000000u);
      }
  }
}
