/* SPDX-License-Identifier: MIT */
/* Plans the packed kernel: four samples at a time as packed bytes, for GPUs. */
#pragma once

#include "core/filter/plan/plan.h"

gboolean ms_plan_packed(MsPlan *plan, const MsPlanRequest *request, GError **error);
