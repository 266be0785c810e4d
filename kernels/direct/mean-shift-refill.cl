/* SPDX-License-Identifier: MIT */
/*
 * The study's kernel with refilled lanes [BD]: a group owns REFILL_ROWS times as many rows as it has work-items, and a
 * work-item whose pixel has converged takes the group's next pixel, so that no lane waits for the slowest of its warp.
 * Its arguments are those of mean-shift-direct.cl; `next` is the number of the group's next pixel.
 */
__kernel void
mean_shift_refill(SOURCE_PARAM, __global uchar4 *result, const int4 image, const int4 region, const int4 band,
                  const int4 filter, const float sp, __local int *next MARKS_PARAM MODES_PARAM)
{
  const marks_t marks = MARKS_OF(image);
  const int2 origin =
    (int2)(band.x + (int)get_group_id(0) * TILE_WIDTH, band.y + (int)get_group_id(1) * TILE_HEIGHT * REFILL_ROWS);
  const int inside = stays_inside(image, origin, (int2)(TILE_WIDTH, TILE_HEIGHT * REFILL_ROWS), filter);
  int number = (int)(get_local_id(1) * TILE_WIDTH + get_local_id(0)), left = 0;
  int2 start = (int2)(0, 0), at = (int2)(0, 0);
  int4 c = (int4)(0, 0, 0, 0);

  if (number == 0)
    *next = TILE_WIDTH * TILE_HEIGHT;
  barrier(CLK_LOCAL_MEM_FENCE);
  while (number < TILE_WIDTH * TILE_HEIGHT * REFILL_ROWS) {
    if (left == 0) {
      start = (int2)(origin.x + number % TILE_WIDTH, origin.y + number / TILE_WIDTH);
      if (start.x >= band.x + band.z || start.y >= band.y + band.w || !is_marked(marks, start.x, start.y)) {
        number = atomic_inc(next);
        continue;
      }
      at = start;
      c = convert_int4(source_pixel(source, image, start.x, start.y));
      left = filter.z;
    }
    left = shift_pixel(WINDOW_ARG, inside, &at, &c, filter, sp) ? 0 : left - 1;
    if (left == 0) {
      const size_t own = (size_t)(start.y - region.y) * (size_t)region.z + (size_t)(start.x - region.x);

      STORE_MODE(own, at.x, at.y);
      result[own] = (uchar4)((uchar)c.x, (uchar)c.y, (uchar)c.z, source_pixel(source, image, start.x, start.y).w);
      number = atomic_inc(next);
    }
  }
}
