/* SPDX-License-Identifier: MIT */
/*
 * Refined swapping [BD]: once the distance reaches the range every item of a block branches alike, so nothing is
 * looked up.
 */
#define WORK_AT(map, j) \
  ((j) < SWAP_RANGE ? (uint)(map)[(31u - clz(j)) * GROUP + get_local_id(0)] : (uint)get_local_id(0))
