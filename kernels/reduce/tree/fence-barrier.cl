/* SPDX-License-Identifier: MIT */
/* Between two levels: the work-group's barrier, the only order that OpenCL 1.2 guarantees. */
#define LEVEL_FENCE(s) barrier(CLK_LOCAL_MEM_FENCE)
