/* SPDX-License-Identifier: MIT */
/*
 * Whether no window of a work-group can leave the image: a pixel moves at most a radius in an iteration, and its window
 * reaches a radius further. The answer is the same for all work-items of a group, so branches on it do not diverge.
 * Asked over an image object alone, as in the study [MS], and where windows are clipped.
 */
static inline int
stays_inside(const int4 image, const int2 origin, const int2 size, const int4 filter)
{
  const long reach = (long)filter.x * filter.z;

  return FROM_IMAGE && (bool)!REPLICATES && origin.x >= reach && origin.y >= reach &&
         origin.x + size.x + reach <= image.x && origin.y + size.y + reach <= image.y;
}
