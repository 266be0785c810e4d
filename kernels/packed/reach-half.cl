/* SPDX-License-Identifier: MIT */
/*
 * Windows of a radius at or next to a half: SP is REACH rounded up. OpenCV rounds the ends of a window to even in
 * single precision, so that the window around every other coordinate is one pixel shorter at one end or at both. Twin
 * of reach-whole.cl.
 */

/* Whether the window around column or row `at` of the picture begins at `at` - SP + 1. */
static inline bool
starts_late(const int at)
{
  return convert_int_rte((float)at - REACH) > at - SP;
}

/* Whether it ends at `at` + SP - 1. */
static inline bool
ends_early(const int at)
{
  return convert_int_rte((float)at + REACH) < at + SP;
}
