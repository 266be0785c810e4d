/* SPDX-License-Identifier: MIT */
/*
 * Pixels without data: those whose red, green and blue are `no_data`. Before anything else reads the source they are
 * marked in its fourth bytes, which every kernel copies to the result and no distance takes in; these bytes themselves
 * are kept in `alphas`. Kernels leave marked pixels out of windows where NO_DATA is 1. Afterwards marked pixels get
 * their value again, and all their fourth byte.
 */
#define MARK 255

static inline size_t
index_of(const int x, const int y, const int width)
{
  return (size_t)y * (size_t)width + (size_t)x;
}

/* `source` and `alphas` have the rows held. */
__kernel void
mark_no_data(__global uchar4 *source, __global uchar *alphas, const int4 image, const int no_data)
{
  const int x = (int)get_global_id(0), y = (int)get_global_id(1);

  if (x >= image.x || y >= image.w)
    return;

  const size_t at = index_of(x, y, image.x);
  const uchar4 pixel = source[at];
  const bool is_absent = pixel.x == no_data && pixel.y == no_data && pixel.z == no_data;

  alphas[at] = pixel.w;
  source[at] = (uchar4)(pixel.xyz, is_absent ? MARK : 0);
}

/* Marked pixels rest where they are. */
__kernel void
rest_no_data(__global const uchar4 *result, __global ushort2 *modes, const int4 region, const int4 band)
{
  const int x = (int)get_global_id(0), y = (int)get_global_id(1);
  const size_t at = index_of(x, y + band.y - region.y, region.z);

  if (x < band.z && y < band.w && result[at].w != 0)
    modes[at] = (ushort2)((ushort)(band.x + x), (ushort)(band.y + y));
}

__kernel void
restore_no_data(__global uchar4 *result, __global const uchar *alphas, const int4 image, const int4 region,
                const int4 band, const int no_data)
{
  const int x = (int)get_global_id(0), y = (int)get_global_id(1);

  if (x >= band.z || y >= band.w)
    return;

  const size_t at = index_of(x, y + band.y - region.y, region.z);
  const uchar4 pixel = result[at];
  const uchar alpha = alphas[index_of(band.x + x, band.y + y - image.z, image.x)];

  result[at] = (uchar4)(pixel.w != 0 ? (uchar3)(uchar)no_data : pixel.xyz, alpha);
}
