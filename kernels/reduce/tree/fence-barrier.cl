/* SPDX-License-Identifier: MIT */
/*
 * Between two levels: the work-group's barrier, the only synchronisation that OpenCL 1.2 guarantees. TREE_ITEM is the
 * number of a work-item in the tree.
 */
#define TREE_ITEM ((uint)get_local_id(0))
#define LEVEL_FENCE(active) barrier(CLK_LOCAL_MEM_FENCE)
