/* SPDX-License-Identifier: MIT */
/* What several kernels ask of a request before they plan it; each refuses with #MS_ERROR_UNSUPPORTED and a sentence. */
#pragma once

#include "core/filter/plan.h"

G_BEGIN_DECLS

/* From this compute capability times ten on, NVIDIA devices have the matrix units that the matrix kernel is for. */
#define MS_KERNEL_MATRIX_CAPABILITY 80

/* From this one on they multiply and add four bytes in one instruction, as the packed kernel does. */
#define MS_KERNEL_BYTES_CAPABILITY 61

gboolean ms_plan_check_work_group(const MsPlanRequest *request, gsize width, gsize height, gsize local_bytes,
                                  GError **error);
gboolean ms_plan_check_default_toggles(const MsPlanRequest *request, int width, int height, GError **error);
gboolean ms_plan_check_clipped_windows(const MsPlanRequest *request, MsKernel kernel, GError **error);
gboolean ms_plan_check_doubles(const MsPlanRequest *request, MsKernel kernel, GError **error);
gboolean ms_plan_has_whole_radius(const MsPlanRequest *request);
gboolean ms_plan_check_whole_radius(const MsPlanRequest *request, MsKernel kernel, GError **error);
gboolean ms_plan_check_extent(const MsPlanRequest *request, MsKernel kernel, GError **error);

G_END_DECLS
