/* SPDX-License-Identifier: MIT */
/* The set is in global memory; all groups read it, neighbouring work-items neighbouring loads. */
#define SET_SPACE __global
#define OPEN_SET
#define LOAD(i) set[(i)*GROUP + item]
