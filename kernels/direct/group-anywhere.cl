/* SPDX-License-Identifier: MIT */
/* All work-groups clip their windows, wherever they lie in the image. Twin of group-inside.cl. */
static inline int
stays_inside(const int4 image, const int2 origin, const int2 size, const int4 filter)
{
  return 0;
}
