/* SPDX-License-Identifier: MIT */
/* One byte of each pixel of an 8UC4 image, read in place: whole pixels are loaded, SHIFT selects the channel. */
#define SOURCE __global const uint *
#define SOURCE_ARGUMENT __global const uint *restrict
#define OPEN(source, origin) ((source) + (origin))
#define LOAD(source, i) \
  CONVERT(uchar)((((__global const VECTOR(uint) *)(source))[i] >> (VECTOR(uint))(SHIFT)) & (VECTOR(uint))(255u))
#define LOAD_ONE(source, e) ((uchar)((source)[e] >> SHIFT))
