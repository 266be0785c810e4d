/* SPDX-License-Identifier: MIT */
/* Pixels from an image object. A macro, because a typedef of an image type gives wrong pixels on some runtimes. */
#define SOURCE_PARAM read_only image2d_t source

__constant sampler_t texel_sampler = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;

static inline uchar4
source_pixel(SOURCE_PARAM, const int4 image, const int x, const int y)
{
  return convert_uchar4(read_imageui(source, texel_sampler, (int2)(x, y - image.z)));
}
