/* SPDX-License-Identifier: MIT */
/*
 * Between groups: each group folds its partial into the result by atomics. The plan names what merges it (MERGE) and
 * what changes a word of the result (ADD_WORD, or LOWER_WORD and RAISE_WORD).
 */
#define WORD_AT(k) ((volatile __global ulong *)out + (k))

/* A sum of 32 bits by one atomic, as in [PCL]: it may overflow, so that the result is modulo 2^32. */
#define ADD_WRAPPING(k, x) atomic_add(out + 2 * (k), (uint)(x))

/* A 64-bit sum by two 32-bit atomics: the group whose addition wraps the low half carries one into the high half. */
#define ADD_HALVES(k, x)                                                            \
  {                                                                                 \
    const uint low = (uint)(x), before = atomic_add(out + 2 * (k), low);            \
    atomic_add(out + 2 * (k) + 1, (uint)((ulong)(x) >> 32) + (before + low < low)); \
  }

/* A 64-bit sum by 64-bit atomics. */
#define ADD_WHOLE(k, x) atom_add(WORD_AT(k), (ulong)(x))

/* A sum of doubles by 64-bit compare-and-exchange; the last bits of the result depend on the order of the groups. */
#define ADD_DOUBLE(k, x)                                                            \
  {                                                                                 \
    ulong seen = 0, found = atom_add(WORD_AT(k), 0);                                \
    do {                                                                            \
      seen = found;                                                                 \
      found = atom_cmpxchg(WORD_AT(k), seen, as_ulong(as_double(seen) + (x)));      \
    } while (found != seen);                                                        \
  }

/*
 * Extremes by 32-bit atomics on keys in the order of the elements. The host initialises the keys beyond every element
 * and decodes them at the end. The plan names one of the first three macros as KEY.
 */
#define KEY_UNSIGNED(x) ((uint)(x))
#define KEY_SIGNED(x) ((uint)(int)(x) ^ 0x80000000u)
/* Negative floats have all bits flipped, the others the sign bit. */
#define KEY_FLOAT(x) (as_uint(x) ^ ((uint)(as_int(x) >> 31) | 0x80000000u))
#define LOWER_KEY(k, x) atomic_min(out + 2 * (k), KEY(x));
#define RAISE_KEY(k, x) atomic_max(out + 2 * (k), KEY(x));

/* Extremes of doubles by 64-bit compare-and-exchange. */
#define LOWER_DOUBLE(k, x) SET_WHILE(<, k, x)
#define RAISE_DOUBLE(k, x) SET_WHILE(>, k, x)
#define SET_WHILE(beats, k, x)                                                      \
  {                                                                                 \
    ulong found = atom_add(WORD_AT(k), 0), seen = ~found;                           \
    while ((x) beats as_double(found) && seen != found) {                           \
      seen = found;                                                                 \
      found = atom_cmpxchg(WORD_AT(k), seen, as_ulong(x));                          \
    }                                                                               \
  }

#define MERGE_SUMS(mine)          \
  for (int k = 0; k < WORDS; k++) \
    ADD_WORD(k, mine->t[k]);
#define MERGE_EXTREMES(mine) EACH_EXTREME(mine, LOWER_WORD, RAISE_WORD)

static void
finish(const acc_t *mine, __local partial_t *scratch, __local uint *flag, __global uint *out,
       __global const ushort *map)
{
  if (TREE_ITEM == 0) {
    MERGE(mine)
  }
}
