/* SPDX-License-Identifier: MIT */
/*
 * Extremes by 32-bit atomics on ordered keys; the host sets the keys beyond every element first and decodes them at
 * the end.
 */
#define LOWER_KEY(k, x) atomic_min(out + 2 * (k), KEY(x));
#define RAISE_KEY(k, x) atomic_max(out + 2 * (k), KEY(x));

static void
atomic_merge(volatile __global uint *out, const acc_t *mine)
{
  EACH_EXTREME(mine, LOWER_KEY, RAISE_KEY)
}
