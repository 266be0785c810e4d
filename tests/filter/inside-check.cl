/* SPDX-License-Identifier: MIT */
/* Writes what stays_inside() says of a work-group of 8 x 4 pixels at every place. */
__kernel void
inside_check(__global int *inside, const int4 image, const int4 filter)
{
  const int x = (int)get_global_id(0), y = (int)get_global_id(1);

  inside[y * image.x + x] = stays_inside(image, (int2)(x, y), (int2)(8, 4), filter);
}
