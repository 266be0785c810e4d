/* SPDX-License-Identifier: MIT */
/*
 * Where the set that is read lies: SPACE is the kind of memory, in which OPEN_SET places the set, and LOAD(i) reads
 * block i of it, or a work-item's load of that block.
 */
#define SET_SPACE JOIN_NAMES(SET_SPACE_, SPACE)
#define OPEN_SET JOIN_NAMES(OPEN_SET_, SPACE)
#define LOAD JOIN_NAMES(LOAD_, SPACE)

/* All groups read it, neighbouring work-items neighbouring loads. */
#define SET_SPACE_GLOBAL __global
#define OPEN_SET_GLOBAL
#define LOAD_GLOBAL(i) set[(i)*GROUP + item]

/* A block is one load, the same for all work-items, which constant memory is made for. */
#define SET_SPACE_CONSTANT __constant
#define OPEN_SET_CONSTANT
#define LOAD_CONSTANT(i) set[i]

/* Each group copies the set into local memory and reads it there. */
#define SET_SPACE_LOCAL __global
#define OPEN_SET_LOCAL                               \
  for (int k = item; k < blocks * GROUP; k += GROUP) \
    room[k] = set[k];                                \
  barrier(CLK_LOCAL_MEM_FENCE);
#define LOAD_LOCAL(i) room[(i)*GROUP + item]

/*
 * Each work-item copies its loads of the set into an array. Its indices are known at run time only, so that no compiler
 * can keep it in registers.
 */
#define SET_SPACE_PRIVATE __global
#define OPEN_SET_PRIVATE           \
  vec_t own[BLOCKS];               \
  for (int k = 0; k < blocks; k++) \
    own[k] = set[k * GROUP + item];
#define LOAD_PRIVATE(i) own[i]

/*
 * Reads a working set of `blocks` blocks over and over, `steps` blocks in each group. The groups begin `stride` blocks
 * apart, so that a block that groups share is read again after about the bytes of the set. The sums keep the compiler
 * from leaving out loads, and are compared with the host's.
 */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
memory_walk(SET_SPACE const vec_t *restrict set, const int blocks, const int stride, const int steps,
            __local vec_t *room, __global vec_t *sums)
{
  const int item = (int)get_local_id(0);
  vec_t a = (vec_t)(0), b = a, c = a, d = a;
  int block = (int)get_group_id(0) * stride % blocks, left = steps;

  OPEN_SET
  while (left > 0) {
    const int end = min(blocks, block + left);
    int i = block;

    for (; i + 3 < end; i += 4) {
      a += LOAD(i);
      b += LOAD(i + 1);
      c += LOAD(i + 2);
      d += LOAD(i + 3);
    }
    for (; i < end; i++)
      a += LOAD(i);
    left -= end - block;
    block = 0;
  }
  sums[get_global_id(0)] = a + b + c + d;
}
