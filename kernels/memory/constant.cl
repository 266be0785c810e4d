/* SPDX-License-Identifier: MIT */
/* The set is in constant memory; a block is one load, the same for all work-items, which that memory is made for. */
#define SET_SPACE __constant
#define OPEN_SET
#define LOAD(i) set[i]
