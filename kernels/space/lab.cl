/* SPDX-License-Identifier: MIT */
/* sRGB to L*a*b* and back in 8 bits, in integers, as core/filter/space/space.c. Twin of luv.cl. */

static inline int
shift_rounded(const int value, const int bits)
{
  return (value + (1 << (bits - 1))) >> bits;
}

static inline int3
from_rgb(__global const int *tables, const int3 rgb)
{
  const int r = tables[LINEAR + rgb.x], g = tables[LINEAR + rgb.y], b = tables[LINEAR + rgb.z];
  const int x = tables[ROOT + shift_rounded(1777 * r + 1541 * g + 778 * b, 12)];
  const int y = tables[ROOT + shift_rounded(871 * r + 2929 * g + 296 * b, 12)];
  const int z = tables[ROOT + shift_rounded(73 * r + 448 * g + 3575 * b, 12)];

  return (int3)(shift_rounded(296 * y - 1336934, 15), shift_rounded(500 * (x - y) + (128 << 15), 15),
                shift_rounded(200 * (y - z) + (128 << 15), 15));
}

/* The inverse of the standard's cube root function; argument and result times 2^14. */
static inline int
light_of(const int root)
{
  return root <= 3390 ? root * 108 / 841 - 290 : root * root / 16384 * root / 16384;
}

/* The three channels times 2^26, linear. */
static inline int3
to_linear_rgb(__global const int *tables, const int3 lab)
{
  const int y = tables[LIGHT + 2 * lab.x], root = tables[LIGHT + 2 * lab.x + 1];
  const int x = light_of(root + ((5 * lab.y * 53687 + 128) >> 13) - 4194);
  const int z = light_of(root - ((lab.z * 41943 + 16) >> 9) + 10484);

  return (int3)(12615 * x - 6296 * y - 2223 * z, -3773 * x + 7684 * y + 185 * z, 217 * x - 836 * y + 4715 * z);
}
