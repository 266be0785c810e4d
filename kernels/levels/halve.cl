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

static inline uchar4
halve_pixel(__global const uchar4 *source, const int x, const int y, const int4 fine)
{
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

  return (uchar4)((uchar)mean.x, (uchar)mean.y, (uchar)mean.z, (uchar)0);
}

static inline ushort16
weigh(const ushort16 a, const ushort16 b, const ushort16 c, const ushort16 d, const ushort16 e)
{
  return a + e + (b + d) * (ushort)4 + c * (ushort)6;
}

/* Four pixels from column `x` on, whose columns lie within the image: weighs the rows of twelve pixels, then these. */
static inline uchar16
halve_four(__global const uchar4 *source, const int x, const int y, const int4 fine)
{
  __global const uchar *from[5];
  ushort16 v[3];

#pragma unroll
  for (int j = 0; j < 5; j++) {
    const int held = reflect(2 * y + j - 2, fine.y) - fine.z;

    from[j] = (__global const uchar *)(source + (size_t)held * (size_t)fine.x + (size_t)(2 * x - 2));
  }
#pragma unroll
  for (int k = 0; k < 3; k++)
    v[k] = weigh(convert_ushort16(vload16(k, from[0])), convert_ushort16(vload16(k, from[1])),
                 convert_ushort16(vload16(k, from[2])), convert_ushort16(vload16(k, from[3])),
                 convert_ushort16(vload16(k, from[4])));

  const ushort16 sum = weigh((ushort16)(v[0].s0123, v[0].s89ab, v[1].s0123, v[1].s89ab),
                             (ushort16)(v[0].s4567, v[0].scdef, v[1].s4567, v[1].scdef),
                             (ushort16)(v[0].s89ab, v[1].s0123, v[1].s89ab, v[2].s0123),
                             (ushort16)(v[0].scdef, v[1].s4567, v[1].scdef, v[2].s4567),
                             (ushort16)(v[1].s0123, v[1].s89ab, v[2].s0123, v[2].s89ab));
  return convert_uchar16((sum + (ushort)128) >> (ushort)8) & as_uchar16((uint4)(0x00ffffff));
}

/* A work-item computes four pixels of a row. */
__kernel void
halve_level(__global const uchar4 *source, __global uchar4 *result, const int4 fine, const int4 coarse)
{
  const int x = 4 * (int)get_global_id(0), row = (int)get_global_id(1), y = coarse.z + row;
  __global uchar4 *to = result + (size_t)row * (size_t)coarse.x;

  if (x >= coarse.x || row >= coarse.w)
    return;
  if (x > 0 && 2 * x + 9 < fine.x) {
    vstore16(halve_four(source, x, y, fine), 0, (__global uchar *)(to + x));
    return;
  }
  for (int i = x; i < min(x + 4, coarse.x); i++)
    to[i] = halve_pixel(source, i, y, fine);
}
