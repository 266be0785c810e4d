/* SPDX-License-Identifier: MIT */
/* A sum of 32 bits by one atomic, as in [PCL]: it may overflow, so that the result is modulo 2^32. */
static void
atomic_merge(volatile __global uint *out, const acc_t *mine)
{
  for (int k = 0; k < WORDS; k++)
    atomic_add(out + 2 * k, (uint)mine->t[k]);
}
