/* SPDX-License-Identifier: MIT */
/* Extremes of doubles by 64-bit compare-and-exchange. */
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#define LOWER_WORD(k, x)                                             \
  {                                                                  \
    volatile __global ulong *word = (volatile __global ulong *)out + k; \
    ulong found = atom_add(word, 0), seen = ~found;                  \
    while ((x) < as_double(found) && seen != found) {                \
      seen = found;                                                  \
      found = atom_cmpxchg(word, seen, as_ulong(x));                 \
    }                                                                \
  }
#define RAISE_WORD(k, x)                                             \
  {                                                                  \
    volatile __global ulong *word = (volatile __global ulong *)out + k; \
    ulong found = atom_add(word, 0), seen = ~found;                  \
    while ((x) > as_double(found) && seen != found) {                \
      seen = found;                                                  \
      found = atom_cmpxchg(word, seen, as_ulong(x));                 \
    }                                                                \
  }

static void
atomic_merge(volatile __global uint *out, const acc_t *mine)
{
  EACH_EXTREME(mine, LOWER_WORD, RAISE_WORD)
}
