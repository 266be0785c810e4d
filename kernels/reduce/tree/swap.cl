/* SPDX-License-Identifier: MIT */
/*
 * The work that a work-item does: its own or, with thread swapping [BD], that of the map. The plan names one of these.
 */
#define OWN_WORK(map) ((uint)get_local_id(0))
#define SWAPPED_WORK(map) ((uint)(map)[get_local_id(0)])
