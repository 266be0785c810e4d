/* SPDX-License-Identifier: MIT */
/* Between two levels: a barrier, always. Nothing else is promised to work-items of one group. */
#define LEVEL_FENCE(s) barrier(CLK_LOCAL_MEM_FENCE)
