/* SPDX-License-Identifier: MIT */
/* Shared by the tests of kernels for GPUs: an invented device, comparison with the reference, and checks of plans. */
#pragma once

#include "core/filter/plan/plan.h"
#include "tests/support/fixture.h"
#include "tests/support/option-product.h"

MsPlan *ms_gpu_kernel_stand_in(MsOptionProduct *product, const MsJob *job);
void ms_gpu_kernel_compare(MsOptionProduct *product, MsKernel kernel, MsImage *source, const MsParams *params,
                           const MsRegion *region);
MsPlanCase ms_gpu_kernel_request(MsKernel kernel, guint capability);
gboolean ms_gpu_kernel_has_part(const MsPlan *plan, const char *part);
void ms_gpu_kernel_assert_refused(const MsPlanCase *request, const char *word);
void ms_gpu_kernel_assert_common_refusals(MsKernel kernel);
