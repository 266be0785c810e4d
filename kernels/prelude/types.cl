/* SPDX-License-Identifier: MIT */
/*
 * The sums over a window. Coordinates are summed relative to the window's centre, so that 32 bits hold them for images
 * of any width: 129 * 129 samples of at most 64 each. Where NO_DATA is 1, the fourth byte of a pixel without data is
 * not 0, and it is left out.
 */
#pragma OPENCL FP_CONTRACT OFF

typedef struct {
  int n;
  int dx;
  int dy;
  int r;
  int g;
  int b;
} sums_t;

static inline bool
has_data(const uchar4 t)
{
  return NO_DATA ? t.w == 0 : true;
}

static inline void
add_pixel(sums_t *sums, const uchar4 t, const int4 c, const int isr2, const int dx, const int dy)
{
  const int4 v = convert_int4(t);
  const int4 d = v - c;

  if (d.x * d.x + d.y * d.y + d.z * d.z <= isr2 && has_data(t)) {
    sums->n++;
    sums->dx += dx;
    sums->dy += dy;
    sums->r += v.x;
    sums->g += v.y;
    sums->b += v.z;
  }
}
