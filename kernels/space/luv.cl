/* SPDX-License-Identifier: MIT */
/* RGB to L*u*v* and back in 8 bits, in integers, as core/filter/space/space.c. Twin of lab.cl. */

#define FROM_MATRIX FROM_XYZ

/* Interpolates between the eight nodes around the colour, which lie 8 values apart, in sixteenths of that. */
static inline int3
from_rgb(__global const int *tables, const int3 rgb)
{
  __global const int *nodes = tables + LUV_NODES + 4 * ((rgb.x / 8 * NODES + rgb.y / 8) * NODES + rgb.z / 8);
  const int3 after = 2 * (rgb % 8), before = 16 - after;
  int4 sum = 0;

#pragma unroll
  for (int corner = 0; corner < 8; corner++) {
    const bool r = (corner & 1) != 0, g = (corner & 2) != 0, b = (corner & 4) != 0;
    const int weight = (r ? after.x : before.x) * (g ? after.y : before.y) * (b ? after.z : before.z);

    sum += weight * vload4(0, nodes + 4 * (((r ? NODES : 0) + (g ? 1 : 0)) * NODES + (b ? 1 : 0)));
  }
  return (int3)(shift_rounded(sum.x, 12) / 64, shift_rounded(sum.y, 12) / 64, shift_rounded(sum.z, 12) / 64);
}

/* X, Y and Z times 2^14. */
static inline int3
to_xyz(__global const int *tables, const int3 luv)
{
  const int y = tables[LIGHT + 2 * luv.x];
  const long u = tables[LUV_U + luv.x * 256 + luv.y], v = tables[LUV_V + luv.x * 256 + luv.z];
  const long lowered = (12 * 13 * 100 * 16 * (luv.x * v) - u * v * 85) / 16384 - 5 * 255 * 16384;
  const int scaled = (int)(y * lowered / 16384);
  const int x = clamp((int)(y * (u * v / 16384) / 16384), 0, 2 * 16384);
  const int z = clamp(scaled / 256 + scaled / 65536, 0, 2 * 16384);

  return (int3)(x, y, z);
}
