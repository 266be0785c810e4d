/* SPDX-License-Identifier: MIT */
/* A contiguous array in a buffer. The host makes `origin` a multiple of WIDTH, so vectors are aligned. */
#define SOURCE __global const ELEM *
#define SOURCE_ARGUMENT __global const ELEM *restrict
#define OPEN(source, origin) ((source) + (origin))
#define LOAD(source, i) (((__global const vec_t *)(source))[i])
#define LOAD_ONE(source, e) ((source)[e])
