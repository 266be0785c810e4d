/* SPDX-License-Identifier: MIT */
/* Plans the study's kernel: one work-item computes one pixel, and every toggle applies. */
#pragma once

#include "core/filter/plan/plan.h"

gboolean ms_plan_direct(MsPlan *plan, const MsPlanRequest *request, GError **error);
