/* SPDX-License-Identifier: MIT */
/* Every work-item does its own work. */
#define WORK_AT(map, j) ((uint)get_local_id(0))
