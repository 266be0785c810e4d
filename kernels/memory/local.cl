/* SPDX-License-Identifier: MIT */
/* Each group copies the set into local memory and reads it there. */
#define SET_SPACE __global
#define OPEN_SET                                                                                                       \
  for (int k = item; k < blocks * GROUP; k += GROUP)                                                                   \
    room[k] = set[k];                                                                                                  \
  barrier(CLK_LOCAL_MEM_FENCE);
#define LOAD(i) room[(i)*GROUP + item]
