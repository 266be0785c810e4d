/* SPDX-License-Identifier: MIT */
/*
 * The picture in the colour space of lab.cl or luv.cl, and the result back in RGB, both in place, by nodes.cl where the
 * profile of the picture is one of tables; the fourth byte is unchanged. The channels of the space are stored last
 * first, so that the pyramid treats them as the matched function does.
 */

__kernel void
convert_source(__global uchar4 *source, __global const int *tables, const int4 image)
{
  const int x = (int)get_global_id(0), y = (int)get_global_id(1);

  if (x >= image.x || y >= image.w)
    return;

  __global uchar4 *pixel = source + ((size_t)y * (size_t)image.x + (size_t)x);
  const uchar4 from = *pixel;
  const int3 rgb = convert_int3(from.xyz);
  const uchar3 to = convert_uchar3_sat(tables[BY_NODES] != 0 ? between_nodes(tables + FROM_RGB, rgb)
                                                             : from_rgb(tables, rgb));

  *pixel = (uchar4)(to.z, to.y, to.x, from.w);
}

/* The 8-bit value of a channel, 0 to 2, whose linear light is a row of the matrix times @xyz. */
static inline uchar
encode(__global const int *tables, const int channel, const int3 xyz)
{
  __global const int *row = tables + FROM_MATRIX + 3 * channel;
  const int light = shift_rounded(row[0] * xyz.x + row[1] * xyz.y + row[2] * xyz.z, 14);

  return (uchar)tables[ENCODE + 4096 * channel + clamp(light, 0, 4095)];
}

__kernel void
restore_result(__global uchar4 *result, __global const int *tables, const int4 region, const int4 band)
{
  const int x = (int)get_global_id(0), y = (int)get_global_id(1) + band.y - region.y;

  if (x >= band.z || y >= band.y - region.y + band.w)
    return;

  __global uchar4 *pixel = result + ((size_t)y * (size_t)region.z + (size_t)x);
  const uchar4 from = *pixel;
  const int3 place = (int3)(from.z, from.y, from.x);

  if (tables[BY_NODES] != 0) {
    *pixel = (uchar4)(convert_uchar3_sat(between_nodes(tables + TO_RGB, place)), from.w);
    return;
  }

  const int3 xyz = to_xyz(tables, place);

  *pixel = (uchar4)(encode(tables, 0, xyz), encode(tables, 1, xyz), encode(tables, 2, xyz), from.w);
}
