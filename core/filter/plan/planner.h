/* SPDX-License-Identifier: MIT */
/* Makes the plan of a request, or returns the reason why the request cannot run; makes no OpenCL call. */
#pragma once

#include "core/filter/plan/plan.h"

MsPlanRequest ms_plan_request(const MsSettings *settings, const MsDeviceLimits *limits, int width, int height);
MsPlan *ms_plan_new(const MsPlanRequest *request, GError **error);
char *ms_plan_refusal(const MsPlanRequest *request);
char *ms_plan_option_refusal(const MsPlanRequest *request, const MsOptionInfo *option, const char *value);
