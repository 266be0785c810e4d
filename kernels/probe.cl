/* SPDX-License-Identifier: MIT */
/* A minimal kernel; a device that cannot run it is not used. */
__kernel void
probe(__global uint *out)
{
  uint i = get_global_id(0);

  out[i] = i * i + 1u;
}
