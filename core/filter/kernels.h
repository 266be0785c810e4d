/* SPDX-License-Identifier: MIT */
/* The kernels by name: what each is for, and the pure function that plans it. */
#pragma once

#include "core/filter/plan.h"

G_BEGIN_DECLS

/* From this compute capability times ten on, NVIDIA devices have the matrix units that the matrix kernel is for. */
#define MS_KERNEL_MATRIX_CAPABILITY 80

/* From this one on they multiply and add up four bytes in one instruction, as the packed kernel does. */
#define MS_KERNEL_BYTES_CAPABILITY 61

/**
 * MsKernelInfo: one kernel of the filter.
 * @help: one line, for --help and tooltips
 * @plan: fills a plan, or refuses with #MS_ERROR_UNSUPPORTED and a sentence; makes no OpenCL call
 */
typedef struct {
  MsKernel kernel;
  const char *help;
  gboolean (*plan)(MsPlan *plan, const MsPlanRequest *request, GError **error);
} MsKernelInfo;

extern const char *const ms_kernel_names[];

const char *ms_kernel_name(MsKernel kernel);
const MsKernelInfo *ms_kernel_find(MsKernel kernel);
const MsKernel *ms_kernel_preference(const MsPlanRequest *request, guint *n);

gboolean ms_plan_direct(MsPlan *plan, const MsPlanRequest *request, GError **error);
gboolean ms_plan_rows(MsPlan *plan, const MsPlanRequest *request, GError **error);
gboolean ms_plan_matrix(MsPlan *plan, const MsPlanRequest *request, GError **error);
gboolean ms_plan_packed(MsPlan *plan, const MsPlanRequest *request, GError **error);
gboolean ms_plan_rows_wide(MsPlan *plan, const MsPlanRequest *request, GError **error);

G_END_DECLS
