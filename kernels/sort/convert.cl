/* SPDX-License-Identifier: MIT */
/*
 * Converts elements into unsigned keys of the same order, padded with the greatest, and back. ELEM is uint, int or
 * float. Floats are in IEEE total order: negative ones have all bits flipped, the others the sign bit.
 */
#define JOIN_NAMES_(a, b) a##b
#define JOIN_NAMES(a, b) JOIN_NAMES_(a, b)
#define KEY_OF(x) JOIN_NAMES(key_of_, ELEM)(x)
#define key_of_uint(x) (x)
#define key_of_int(x) (as_uint(x) ^ 0x80000000u)
#define key_of_float(x) (as_uint(x) ^ ((uint)(as_int(x) >> 31) | 0x80000000u))
#define ELEMENT_OF(key) JOIN_NAMES(ELEM, _of_key)(key)
#define uint_of_key(key) (key)
#define int_of_key(key) as_int((key) ^ 0x80000000u)
#define float_of_key(key) as_float((key) & 0x80000000u ? (key) ^ 0x80000000u : ~(key))

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
