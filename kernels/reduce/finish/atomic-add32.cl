/* SPDX-License-Identifier: MIT */
/* A 64-bit sum by two 32-bit atomics: the group whose addition wraps the low half carries one into the high half. */
static void
atomic_merge(volatile __global uint *out, const acc_t *mine)
{
  for (int k = 0; k < WORDS; k++) {
    const uint low = (uint)mine->t[k];
    const uint before = atomic_add(out + 2 * k, low);
    atomic_add(out + 2 * k + 1, (uint)((ulong)mine->t[k] >> 32) + (before + low < low));
  }
}
