/* SPDX-License-Identifier: MIT */
/*
 * Thread swapping [BD]: at every step a work-item looks its work up; row log2(j) of the table, the last from there on.
 */
#define WORK_AT(map, j) ((uint)(map)[min(31u - clz(j), SWAP_ROWS - 1u) * GROUP + get_local_id(0)])
