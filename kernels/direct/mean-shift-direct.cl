/* SPDX-License-Identifier: MIT */
/*
 * The study's kernel [MS]: one work-item computes one pixel. image: (width, height, first row held, rows held);
 * region: the rectangle held by `result`; band: the rectangle of this launch; filter: (radius, squared colour radius,
 * iterations, epsilon); sp: the radius with its fraction.
 */
__kernel void
mean_shift_direct(SOURCE_PARAM, __global uchar4 *result, const int4 image, const int4 region, const int4 band,
                  const int4 filter, const float sp WINDOW_KERNEL_PARAM MARKS_PARAM MODES_PARAM)
{
  const marks_t marks = MARKS_OF(image);
  const int2 start = (int2)(band.x + (int)get_global_id(0), band.y + (int)get_global_id(1));
  int2 at = start;
  const int2 group = (int2)(band.x + (int)get_group_id(0) * TILE_WIDTH, band.y + (int)get_group_id(1) * TILE_HEIGHT);
  const int inside = stays_inside(image, group, (int2)(TILE_WIDTH, TILE_HEIGHT), filter);
  WINDOW_DECLARE

  WINDOW_STAGE
  if (start.x >= band.x + band.z || start.y >= band.y + band.w || !is_marked(marks, start.x, start.y))
    return;

  const uchar4 pixel = source_pixel(source, image, start.x, start.y);
  int4 c = convert_int4(pixel);

  for (int i = 0; i < filter.z; i++)
    if (shift_pixel(WINDOW_ARG, inside, &at, &c, filter, sp))
      break;

  const size_t to = (size_t)(start.y - region.y) * (size_t)region.z + (size_t)(start.x - region.x);

  STORE_MODE(to, at.x, at.y);
  result[to] = (uchar4)((uchar)c.x, (uchar)c.y, (uchar)c.z, pixel.w);
}
