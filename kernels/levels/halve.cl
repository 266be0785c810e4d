/* SPDX-License-Identifier: MIT */
/*
 * Every second pixel after the 5x5 binomial filter, rounded half up, reflected at the borders: a level of the pyramid
 * from the one below it. The fourth byte of the result is 0. fine, coarse: (width, height, first row that the buffer
 * holds, rows that it holds); the source holds what the rows of the result need.
 */

/* Reflects a coordinate into 0 to extent - 1, without repeating the border. */
static inline int
reflect(const int at, const int extent)
{
  const int left = abs(at), period = 2 * extent - 2;

  if (extent == 1)
    return 0;
  const int in_period = left % period;
  return in_period < extent ? in_period : period - in_period;
}

/* The weighted sum of the five pixels around column `x` of a row; columns within the image only where `inside`. */
static inline ushort4
weigh_row(__global const uchar4 *row, const int x, const int width, const bool inside)
{
  ushort4 t[5];

#pragma unroll
  for (int i = 0; i < 5; i++)
    t[i] = convert_ushort4(row[inside ? x + i - 2 : reflect(x + i - 2, width)]);
  return t[0] + t[4] + (t[1] + t[3]) * (ushort)4 + t[2] * (ushort)6;
}

__kernel void
halve_level(__global const uchar4 *source, __global uchar4 *result, const int4 fine, const int4 coarse)
{
  const int x = (int)get_global_id(0), row = (int)get_global_id(1), y = coarse.z + row;

  if (x >= coarse.x || row >= coarse.w)
    return;

  const bool inside = x > 0 && 2 * x + 2 < fine.x;
  ushort4 rows[5];

#pragma unroll
  for (int j = 0; j < 5; j++) {
    const int held = reflect(2 * y + j - 2, fine.y) - fine.z;

    rows[j] = weigh_row(source + (size_t)held * (size_t)fine.x, 2 * x, fine.x, inside);
  }
  /* 255 times the sum of the weights, 256, and the half that is added fit 16 bits. */
  const ushort4 sum = rows[0] + rows[4] + (rows[1] + rows[3]) * (ushort)4 + rows[2] * (ushort)6;
  const ushort4 mean = (sum + (ushort)128) >> (ushort)8;

  result[(size_t)row * (size_t)coarse.x + (size_t)x] =
    (uchar4)((uchar)mean.x, (uchar)mean.y, (uchar)mean.z, (uchar)0);
}
