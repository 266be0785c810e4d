/* SPDX-License-Identifier: MIT */
/* Thread swapping [BD]: a work-item does the work of another, by the table. */
#define WORK_OF_ITEM(map) ((uint)(map)[get_local_id(0)])
