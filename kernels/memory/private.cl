/* SPDX-License-Identifier: MIT */
/*
 * Each work-item copies its loads of the set into an array of private memory. Its indices are known at run time only,
 * so that no compiler can keep it in registers.
 */
#define SET_SPACE __global
#define OPEN_SET                                                                                                       \
  vec_t own[BLOCKS];                                                                                                   \
  for (int k = 0; k < blocks; k++)                                                                                     \
    own[k] = set[k * GROUP + item];
#define LOAD(i) own[i]
