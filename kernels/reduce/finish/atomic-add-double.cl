/* SPDX-License-Identifier: MIT */
/* A sum of doubles by 64-bit compare-and-exchange; the last bits of the result depend on the order of the groups. */
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
static void
atomic_merge(volatile __global uint *out, const acc_t *mine)
{
  for (int k = 0; k < WORDS; k++) {
    volatile __global ulong *word = (volatile __global ulong *)out + k;
    ulong seen = 0, found = atom_add(word, 0);
    do {
      seen = found;
      found = atom_cmpxchg(word, seen, as_ulong(as_double(seen) + mine->t[k]));
    } while (found != seen);
  }
}
