/* SPDX-License-Identifier: MIT */
/*
 * Writes the image's records, one for each work-item, and 1 / n for every number of samples in a window. Where NO_DATA
 * is 1, the fourth byte of a pixel without data is 255, as in the margin.
 */
#define KEPT_BITS (NO_DATA ? 0xffffffffu : 0xffffffu)

__kernel void
prepare_packed(__global const uint *source, __global uint4 *records, __global reciprocal_t *reciprocals,
               const int4 image, const int pitch, const int4 region)
{
  const int column = (int)get_global_id(0), row = (int)get_global_id(1);
  const int x = column * GRAIN - SP - shift_of(region.x), y = row - SP;
  uint pixel[4];

  if (row == 0)
    for (int n = column; n <= SIDE * SIDE; n += (int)get_global_size(0))
      reciprocals[n] = reciprocal_of(n);
  if (column >= pitch || row > image.w + 2 * SP)
    return;
  for (int k = 0; k < 4; k++) {
    const bool inside = x + k >= 0 && x + k < image.x && y >= 0 && y < image.w;

    pixel[k] = inside ? source[(size_t)y * (size_t)image.x + (size_t)(x + k)] & KEPT_BITS : 0xff000000u;
  }
  records[(size_t)row * (size_t)pitch + (size_t)column] = (uint4)(pixel[0], pixel[1], pixel[2], pixel[3]);
}
