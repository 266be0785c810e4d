/* SPDX-License-Identifier: MIT */
/*
 * Splits the pixels of the rows held into planes. A work-item writes PREPARE_COLUMNS columns of one row, sixteen at a
 * time.
 */
static inline uint16
edge_pixels(__global const uint *row, const int x, const int width)
{
  const int16 column = x + (int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  const int16 at = clamp(column, (int16)0, (int16)(width - 1));

  return (uint16)(row[at.s0], row[at.s1], row[at.s2], row[at.s3], row[at.s4], row[at.s5], row[at.s6],
                  row[at.s7], row[at.s8], row[at.s9], row[at.sa], row[at.sb], row[at.sc], row[at.sd],
                  row[at.se], row[at.sf]);
}

__kernel void
prepare_planes(__global const uint *source, __global ushort *planes, const int4 image, const int margin,
               const int pitch)
{
  const int first = (int)get_global_id(0) * PREPARE_COLUMNS, end = min(first + PREPARE_COLUMNS, pitch);
  const int y = (int)get_global_id(1);
  __global const uint *row = source + (size_t)y * (size_t)image.x;
  __global ushort *plane = planes + (size_t)y * (size_t)(PLANES * pitch);

  if (y >= image.w)
    return;
  for (int column = first; column < end; column += 16) {
    const int x = column - margin;
    const bool inside = x >= 0 && x + 16 <= image.x;
    const uint16 v = inside ? vload16(0, row + x) : edge_pixels(row, x, image.x);

    store_planes(v, plane + column, pitch);
  }
}
