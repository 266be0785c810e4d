/* SPDX-License-Identifier: MIT */
/* What a work-item does in a group. The plan names one of each kind. */

/* As WORK_OF_ITEM, the work of a work-item: its own or, with thread swapping [BD], that of the map. */
#define OWN_WORK(map) ((uint)get_local_id(0))
#define SWAPPED_WORK(map) ((uint)(map)[get_local_id(0)])

/* As TREE_ITEM, its number in the tree; fence-sub-group.cl has another. */
#define LOCAL_ITEM ((uint)get_local_id(0))

/* As LEVEL_FENCE, between two levels: the group's barrier, the only synchronisation that OpenCL 1.2 guarantees. */
#define GROUP_FENCE(active) barrier(CLK_LOCAL_MEM_FENCE)

/*
 * On NVIDIA devices, once only the first warp is active, the warp's barrier. Since capability 7.0 lanes advance
 * independently, so that barrier cannot be omitted; it also orders memory among them.
 */
#define WARP_FENCE(active)        \
  if ((active) > 32)              \
    barrier(CLK_LOCAL_MEM_FENCE); \
  else                            \
    asm volatile("bar.warp.sync 0xffffffff;" ::: "memory")
