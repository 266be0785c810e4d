/* SPDX-License-Identifier: MIT */
/*
 * Takes time that grows with the number of work-items, until it can be compared with a clock; some drivers would end a
 * loop that grows. No compiler knows the value, which is written where it is one in 2^32.
 */
#define STEPS 4096

__kernel void
clock_probe(__global uint *out)
{
  uint value = (uint)get_global_id(0);

  for (uint k = 0; k < STEPS; k++)
    value = (value ^ value >> 15) * 1664525u + 1013904223u;
  if (value == 0)
    *out = value;
}
