/* SPDX-License-Identifier: MIT */
/* Writes the pixels held column by column after the planes. A work-item writes sixteen rows of PREPARE_COLUMNS. */
__kernel void
prepare_columns(__global const uint *source, __global ushort *planes, const int4 image, const int row_pitch)
{
  const int pitch = column_pitch_of(image.w), y = (int)get_global_id(1) * 16;
  const int first = (int)get_global_id(0) * PREPARE_COLUMNS, end = min(first + PREPARE_COLUMNS, image.x);
  const int16 rows = min(y + (int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15), (int16)(image.w - 1));
  __global ushort *columns = planes + (size_t)image.w * (size_t)(PLANES * row_pitch);

  if (y >= pitch)
    return;
  for (int x = first; x < end; x++) {
    __global const uint *p = source + x;
    __global ushort *column = columns + (size_t)x * (size_t)(PLANES * pitch) + y;
    const uint16 v = (uint16)(p[(size_t)rows.s0 * (size_t)image.x], p[(size_t)rows.s1 * (size_t)image.x],
                              p[(size_t)rows.s2 * (size_t)image.x], p[(size_t)rows.s3 * (size_t)image.x],
                              p[(size_t)rows.s4 * (size_t)image.x], p[(size_t)rows.s5 * (size_t)image.x],
                              p[(size_t)rows.s6 * (size_t)image.x], p[(size_t)rows.s7 * (size_t)image.x],
                              p[(size_t)rows.s8 * (size_t)image.x], p[(size_t)rows.s9 * (size_t)image.x],
                              p[(size_t)rows.sa * (size_t)image.x], p[(size_t)rows.sb * (size_t)image.x],
                              p[(size_t)rows.sc * (size_t)image.x], p[(size_t)rows.sd * (size_t)image.x],
                              p[(size_t)rows.se * (size_t)image.x], p[(size_t)rows.sf * (size_t)image.x]);

    store_planes(v, column, pitch);
  }
}
