/* SPDX-License-Identifier: MIT */
/*
 * Between two levels: a barrier, or, once the items of a level are all of the first warp, the warp's own barrier.
 * Lanes have been independent since capability 7.0, so that barrier cannot be left out; it orders memory among the
 * warp's lanes.
 */
static void
warp_fence(void)
{
  asm volatile("bar.warp.sync 0xffffffff;" ::: "memory");
}

#define LEVEL_FENCE(s)           \
  if (s > 16)                    \
    barrier(CLK_LOCAL_MEM_FENCE); \
  else                           \
    warp_fence()
