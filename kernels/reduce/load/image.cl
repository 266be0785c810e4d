/* SPDX-License-Identifier: MIT */
/*
 * An array in the texels of an RGBA image, 2^IMAGE_SHIFT texels a row; READ is the built-in for the element's type.
 * SOURCE is a #define, since some compilers lose the access qualifier of a typedef and read wrong texels.
 */
#define SOURCE __read_only image2d_t
#define SOURCE_ARGUMENT __read_only image2d_t
#define OPEN(source, origin) (source)
#define LOAD(source, i) \
  CONVERT(ELEM)(READ(source, texel_sampler, (int2)((i) & ((1 << IMAGE_SHIFT) - 1), (i) >> IMAGE_SHIFT)))
#define LOAD_ONE(source, e) one_of_texel(LOAD(source, (e) / 4), (e) % 4)

__constant sampler_t texel_sampler = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_NONE | CLK_FILTER_NEAREST;

static ELEM
one_of_texel(const vec_t texel, const int k)
{
  return k == 0 ? texel.s0 : k == 1 ? texel.s1 : k == 2 ? texel.s2 : texel.s3;
}
