/* SPDX-License-Identifier: MIT */
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

static void
atomic_merge(volatile __global uint *out, const acc_t *mine)
{
  EACH_EXTREME(mine, LOWER_KEY, RAISE_KEY)
}
