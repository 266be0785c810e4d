/* SPDX-License-Identifier: MIT */
/* Elements into keys whose order is that of unsigned numbers, padded with the greatest, and back. */
__kernel void
sort_encode(__global const ELEM *restrict elements, const uint n, __global uint *restrict keys)
{
  const uint i = get_global_id(0);

  keys[i] = i < n ? KEY_OF(elements[i]) : 0xffffffffu;
}

__kernel void
sort_decode(__global const uint *restrict keys, const uint n, __global ELEM *restrict elements)
{
  const uint i = get_global_id(0);

  if (i < n)
    elements[i] = ELEMENT_OF(keys[i]);
}
