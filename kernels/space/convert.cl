/* SPDX-License-Identifier: MIT */
/*
 * The picture in the colour space of lab.cl or luv.cl, and the result back in sRGB, both in place; the fourth byte is
 * unchanged. The channels of the space are stored last first, so that the pyramid treats them as the matched function
 * does.
 */

__kernel void
convert_source(__global uchar4 *source, __global const int *tables, const int4 image)
{
  const int x = (int)get_global_id(0), y = (int)get_global_id(1);

  if (x >= image.x || y >= image.w)
    return;

  __global uchar4 *pixel = source + ((size_t)y * (size_t)image.x + (size_t)x);
  const uchar4 from = *pixel;
  const uchar3 to = convert_uchar3_sat(from_rgb(tables, convert_int3(from.xyz)));

  *pixel = (uchar4)(to.z, to.y, to.x, from.w);
}

__kernel void
restore_result(__global uchar4 *result, __global const int *tables, const int4 region, const int4 band)
{
  const int x = (int)get_global_id(0), y = (int)get_global_id(1) + band.y - region.y;

  if (x >= band.z || y >= band.y - region.y + band.w)
    return;

  __global uchar4 *pixel = result + ((size_t)y * (size_t)region.z + (size_t)x);
  const uchar4 from = *pixel;
  const int3 linear = to_linear_rgb(tables, (int3)(from.z, from.y, from.x));
  const int r = clamp(shift_rounded(linear.x, 14), 0, 4095), g = clamp(shift_rounded(linear.y, 14), 0, 4095),
            b = clamp(shift_rounded(linear.z, 14), 0, 4095);

  *pixel =
    (uchar4)((uchar)tables[ENCODE + r], (uchar)tables[ENCODE + g], (uchar)tables[ENCODE + b], from.w);
}
