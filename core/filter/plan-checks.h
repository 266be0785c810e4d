/* SPDX-License-Identifier: MIT */
/* What several kernels ask of a request before they plan it; each refuses with #MS_ERROR_UNSUPPORTED and a sentence. */
#pragma once

#include "core/filter/plan.h"

G_BEGIN_DECLS

gboolean ms_plan_check_work_group(const MsPlanRequest *request, gsize width, gsize height, gsize local_bytes,
                                  GError **error);
gboolean ms_plan_check_default_toggles(const MsPlanRequest *request, int width, int height, GError **error);
gboolean ms_plan_check_clipped_windows(const MsPlanRequest *request, MsKernel kernel, GError **error);
gboolean ms_plan_check_doubles(const MsPlanRequest *request, MsKernel kernel, GError **error);
gboolean ms_plan_check_whole_radius(const MsPlanRequest *request, MsKernel kernel, GError **error);
gboolean ms_plan_check_extent(const MsPlanRequest *request, MsKernel kernel, GError **error);

G_END_DECLS
