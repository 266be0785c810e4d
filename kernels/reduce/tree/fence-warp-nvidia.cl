/* SPDX-License-Identifier: MIT */
/*
 * Between two levels: the work-group's barrier, or, once only the first warp is active, the warp's barrier. Since
 * capability 7.0 lanes advance independently, so that barrier cannot be omitted; it also orders memory among them.
 */
#define TREE_ITEM ((uint)get_local_id(0))

static void
warp_fence(void)
{
  asm volatile("bar.warp.sync 0xffffffff;" ::: "memory");
}

#define LEVEL_FENCE(active)      \
  if (active > 32)                \
    barrier(CLK_LOCAL_MEM_FENCE); \
  else                            \
    warp_fence()
