/* SPDX-License-Identifier: MIT */
#include "core/filter/settings/kernel-names.h"

const char *const ms_filter_kernel_names[] = {
  [MS_KERNEL_AUTO] = "auto",
  [MS_KERNEL_DIRECT] = "direct",
  [MS_KERNEL_ROWS] = "rows",
  [MS_KERNEL_ROWS_WIDE] = "rows-wide",
  [MS_KERNEL_MATRIX] = "matrix",
  [MS_KERNEL_PACKED] = "packed",
  NULL,
};

const char *
ms_filter_kernel_name(MsKernel kernel)
{
  return ms_filter_kernel_names[kernel];
}
