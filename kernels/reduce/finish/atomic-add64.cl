/* SPDX-License-Identifier: MIT */
/* A 64-bit sum by 64-bit atomics. */
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
static void
atomic_merge(volatile __global uint *out, const acc_t *mine)
{
  for (int k = 0; k < WORDS; k++)
    atom_add((volatile __global ulong *)out + k, (ulong)mine->t[k]);
}
