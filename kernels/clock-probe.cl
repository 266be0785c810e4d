/* SPDX-License-Identifier: MIT */
/* Its time grows with `steps`, until the times of the driver's events can be compared with a clock. */
__kernel void
clock_probe(__global uint *out, uint steps)
{
  uint i = get_global_id(0), value = i;

  for (uint k = 0; k < steps; k++)
    value = value * 1664525u + 1013904223u;
  out[i] = value;
}
