/* SPDX-License-Identifier: MIT */
/* MsKernel: the kernels of the filter and their names on the command line and in reports. */
#pragma once

#include <glib.h>

/** MsKernel: the planner resolves `auto`. A new kernel goes at the end, with a row in kernel-names.c and kernels.c. */
typedef enum {
  MS_KERNEL_AUTO,
  MS_KERNEL_DIRECT,
  MS_KERNEL_ROWS,
  MS_KERNEL_ROWS_WIDE,
  MS_KERNEL_MATRIX,
  MS_KERNEL_PACKED,
} MsKernel;

/* In the order of MsKernel, %NULL-terminated. */
extern const char *const ms_filter_kernel_names[];

const char *ms_filter_kernel_name(MsKernel kernel);
