/* SPDX-License-Identifier: MIT */
/*
 * Whether no window of a work-group can leave the image: a pixel moves at most a radius in an iteration, and its window
 * reaches a radius further. All work-items of a group agree, so none waits for another's branch.
 */
static inline int
stays_inside(const int4 image, const int2 origin, const int2 size, const int4 filter)
{
  const long reach = (long)filter.x * filter.z;

  return origin.x >= reach && origin.y >= reach && origin.x + size.x + reach <= image.x &&
         origin.y + size.y + reach <= image.y;
}
