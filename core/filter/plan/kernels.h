/* SPDX-License-Identifier: MIT */
/* The table of kernels: the pure function that plans each, and the order in which `auto` tries them. */
#pragma once

#include "core/filter/plan/plan.h"

/**
 * MsFilterKernel: one kernel of the filter.
 * @plan: fills a plan, or refuses with #MS_ERROR_UNSUPPORTED and a sentence; makes no OpenCL call
 */
typedef struct {
  MsKernel kernel;
  gboolean (*plan)(MsPlan *plan, const MsPlanRequest *request, GError **error);
} MsFilterKernel;

const MsFilterKernel *ms_filter_kernel_find(MsKernel kernel);
const MsKernel *ms_filter_kernel_preference(const MsPlanRequest *request, guint *n);
