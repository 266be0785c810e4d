/* SPDX-License-Identifier: MIT */
/* A fixed amount of work whose time shows the machine's speed: a linear congruential generator in each work-item. */
__kernel void
anchor(__global uint *out, const int steps)
{
  uint state = (uint)get_global_id(0);

  for (int i = 0; i < steps; i++)
    state = state * 1664525u + 1013904223u;
  out[get_global_id(0)] = state;
}
