/* SPDX-License-Identifier: MIT */
/*
 * In place of the first iteration: lists the pixels of the mask, which take all their iterations from the list. Few of
 * a block of 2 x 2 pixels may be in the mask, so that sharing its records would leave most work-items idle. Twin of
 * first-shift.cl, whose arguments it has, although it writes no modes.
 */
__kernel void
mean_shift_first(__global const uint *source, __global uint *result, __global const uint4 *records,
                 __global const reciprocal_t *reciprocals, __global uint4 *moving, __global uint *counter,
                 const int4 image, const int pitch, const int4 region, const int4 band, const int4 filter,
                 __local uint *room MARKS_PARAM MODES_PARAM)
{
  const marks_t marks = MARKS_OF(image);
  const int x = band.x + 2 * (int)get_global_id(0), y = band.y + 2 * (int)get_global_id(1);
  uint count = 0;
  bool on[4];

#pragma unroll
  for (int k = 0; k < 4; k++) {
    const int own_x = x + (k & 1), own_y = y + (k >> 1);

    on[k] = own_x < band.x + band.z && own_y < band.y + band.w && is_marked(marks, own_x, own_y);
    count += on[k] ? 1 : 0;
  }
  uint to = places_on_list(counter, room, count);
#pragma unroll
  for (int k = 0; k < 4; k++)
    if (on[k]) {
      const int column = x + (k & 1), row = y + (k >> 1) - image.z;
      const uint place = (uint)column | (uint)row << 16;

      moving[to++] = (uint4)(source[(size_t)row * (size_t)image.x + (size_t)column], place, place, 0u);
    }
}
