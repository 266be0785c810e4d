/* SPDX-License-Identifier: MIT */
/*
 * Checks that several kernels make before they plan a request; each refuses with #MS_ERROR_UNSUPPORTED and a sentence.
 */
#pragma once

#include "core/filter/plan/plan.h"

/* The least compute capability, times ten, of NVIDIA devices with the matrix units that the matrix kernel uses. */
#define MS_KERNEL_MATRIX_CAPABILITY 80

/* The least one of devices with the instruction that multiplies and adds four bytes, which the packed kernel uses. */
#define MS_KERNEL_BYTES_CAPABILITY 61

gboolean ms_plan_check_work_group(const MsPlanRequest *request, gsize width, gsize height, gsize local_bytes,
                                  GError **error);
gboolean ms_plan_check_default_toggles(const MsPlanRequest *request, int width, int height, GError **error);
gboolean ms_plan_check_clipped_windows(const MsPlanRequest *request, MsKernel kernel, GError **error);
gboolean ms_plan_check_doubles(const MsPlanRequest *request, MsKernel kernel, GError **error);
gboolean ms_plan_has_whole_radius(const MsPlanRequest *request);
gboolean ms_plan_check_whole_radius(const MsPlanRequest *request, MsKernel kernel, GError **error);
gboolean ms_plan_check_no_modes(const MsPlanRequest *request, MsKernel kernel, GError **error);
gboolean ms_plan_check_extent(const MsPlanRequest *request, MsKernel kernel, GError **error);
