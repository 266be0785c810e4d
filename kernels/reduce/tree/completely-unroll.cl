/* SPDX-License-Identifier: MIT */
/*
 * The tree of divergence-free.cl with its levels written out; the compiler removes those above GROUP. SUB_GROUP_LEVEL
 * computes a level without local memory and returns true, or returns false; SHARED_LEVEL always returns false.
 */
#define SHARED_LEVEL(mine, s) false
#define UNROLLED_LEVEL(s)                               \
  if (GROUP >= 2 * s && !SUB_GROUP_LEVEL(mine, s))      \
    level_fold(mine, s, 2, scratch);

static void
group_fold(partial_t *mine, __local partial_t *scratch, __global const ushort *map)
{
  level_begin(mine, scratch);
  UNROLLED_LEVEL(512)
  UNROLLED_LEVEL(256)
  UNROLLED_LEVEL(128)
  UNROLLED_LEVEL(64)
  UNROLLED_LEVEL(32)
  UNROLLED_LEVEL(16)
  UNROLLED_LEVEL(8)
  UNROLLED_LEVEL(4)
  UNROLLED_LEVEL(2)
  UNROLLED_LEVEL(1)
}
