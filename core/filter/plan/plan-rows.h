/* SPDX-License-Identifier: MIT */
/* Plans the rows kernels: windows as explicit vectors, for processors. */
#pragma once

#include "core/filter/plan/plan.h"

gboolean ms_plan_rows(MsPlan *plan, const MsPlanRequest *request, GError **error);
gboolean ms_plan_rows_wide(MsPlan *plan, const MsPlanRequest *request, GError **error);
