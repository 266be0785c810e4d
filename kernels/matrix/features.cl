/* SPDX-License-Identifier: MIT */
/*
 * Writes the records of the image, a quarter of one for each work-item, and 1 / n for every number of samples in a
 * window. Where NO_DATA is 1, pixels whose fourth byte is not 0 have no data and are infinitely far from every colour.
 */
__kernel void
prepare_records(__global const uint *source, __global uint *records, __global double *reciprocals, const int4 image)
{
  const int column = (int)get_global_id(0), row = (int)get_global_id(1), part = column & 3;
  const int x = (column & ~3) - SP, y = row - SP;
  uint pixel[4], word[4];

  if (row == 0)
    for (int n = column; n <= SIDE * SIDE; n += (int)get_global_size(0))
      reciprocals[n] = reciprocal_of(n);
  if (row >= image.w + PADDING_ROWS)
    return;
  for (int k = 0; k < 4; k++) {
    const bool inside = x + k >= 0 && x + k < image.x && y >= 0 && y < image.w;

    pixel[k] = inside ? source[(size_t)y * (size_t)image.x + (size_t)(x + k)] : 0;
    const bool counts = NO_DATA ? inside && pixel[k] >> 24 == 0 : inside;
    const uint square = colour_square(pixel[k]);
    const uint length = counts ? (square & 511u) | square >> 9 << 16 : HALF_ONE << 16;
    const uint blue = (pixel[k] >> 16 & 255u) | HALF_ONE << 16, red_green = (pixel[k] & 255u) | (pixel[k] & 0xff00u)
                                                                                                    << 8;
    word[k] = part == 0 ? red_green : part == 1 ? blue : length;
  }
  if (part == 3)
    for (int k = 0; k < 4; k++) {
      const uint shift = 8 * (uint)k;

      word[k] = k == 3 ? 0
                       : (pixel[0] >> shift & 255u) | (pixel[1] >> shift & 255u) << 8 |
                             (pixel[2] >> shift & 255u) << 16 | (pixel[3] >> shift & 255u) << 24;
    }
  const size_t strip = (size_t)(column / (4 * STRIP_QUADS)), within = (size_t)(column % (4 * STRIP_QUADS));
  const size_t at = (strip * (size_t)(image.w + PADDING_ROWS) + (size_t)row) * (size_t)(4 * STRIP_QUADS) + within;
  vstore4((uint4)(word[0], word[1], word[2], word[3]), at, records);
}
