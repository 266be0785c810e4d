/* SPDX-License-Identifier: MIT */
/* Whose work a work-item does: its own, or with thread swapping [BD] what the map says. The plan names one of these. */
#define OWN_WORK(map) ((uint)get_local_id(0))
#define SWAPPED_WORK(map) ((uint)(map)[get_local_id(0)])
