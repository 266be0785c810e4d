/* SPDX-License-Identifier: MIT */
/* Pixels from a buffer of uchar4. `image` is (width, height, first row held, rows held). */
#define SOURCE_PARAM __global const uchar4 *source

static inline size_t
source_index(const int4 image, const int x, const int y)
{
  return (size_t)(y - image.z) * (size_t)image.x + (size_t)x;
}

static inline uchar4
source_pixel(SOURCE_PARAM, const int4 image, const int x, const int y)
{
  return source[source_index(image, x, y)];
}
