/* SPDX-License-Identifier: MIT */
/* Each work-item does its own work. */
#define WORK_OF_ITEM(map) ((uint)get_local_id(0))
