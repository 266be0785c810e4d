/* SPDX-License-Identifier: MIT */
/* Elements side by side in a buffer. The host starts the array at a whole vector, so vectors are aligned. */
#define SOURCE __global const ELEM *
#define SOURCE_ARGUMENT __global const ELEM *restrict
#define OPEN(source, origin) ((source) + (origin))
#define LOAD(source, i) (((__global const vec_t *)(source))[i])
#define LOAD_ONE(source, e) ((source)[e])
