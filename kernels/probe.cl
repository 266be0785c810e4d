/* SPDX-License-Identifier: MIT */
/* The least a device must be able to do before work is given to it. */
__kernel void
probe(__global uint *out)
{
  uint i = get_global_id(0);

  out[i] = i * i + 1u;
}
