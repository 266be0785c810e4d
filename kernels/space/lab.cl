/* SPDX-License-Identifier: MIT */
/* RGB to L*a*b* and back in 8 bits, in integers, as core/filter/space/space.c. Twin of luv.cl. */

#define FROM_MATRIX FROM_PARTS

/* The cube root of a part of white; the table ends at 1, where a matrix that is rounded may lead a step further. */
static inline int
root_of(__global const int *tables, const int row, const int3 linear)
{
  const int part = tables[row] * linear.x + tables[row + 1] * linear.y + tables[row + 2] * linear.z;

  return tables[ROOT + clamp(shift_rounded(part, 12), 0, 2040)];
}

static inline int3
from_rgb(__global const int *tables, const int3 rgb)
{
  const int3 linear = (int3)(tables[LINEAR + rgb.x], tables[LINEAR + 256 + rgb.y], tables[LINEAR + 512 + rgb.z]);
  const int x = root_of(tables, TO_XYZ, linear), y = root_of(tables, TO_XYZ + 3, linear),
            z = root_of(tables, TO_XYZ + 6, linear);

  return (int3)(shift_rounded(296 * y - 1336934, 15), shift_rounded(500 * (x - y) + (128 << 15), 15),
                shift_rounded(200 * (y - z) + (128 << 15), 15));
}

/* The inverse of the standard's cube root function; argument and result times 2^14. */
static inline int
light_of(const int root)
{
  return root <= 3390 ? root * 108 / 841 - 290 : root * root / 16384 * root / 16384;
}

/* X, Y and Z as parts of white, times 2^14. */
static inline int3
to_xyz(__global const int *tables, const int3 lab)
{
  const int y = tables[LIGHT + 2 * lab.x], root = tables[LIGHT + 2 * lab.x + 1];
  const int x = light_of(root + ((5 * lab.y * 53687 + 128) >> 13) - 4194);
  const int z = light_of(root - ((lab.z * 41943 + 16) >> 9) + 10484);

  return (int3)(x, y, z);
}
