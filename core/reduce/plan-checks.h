/* SPDX-License-Identifier: MIT */
/* The checks of reduction options: each refusal is a sentence that names an option to change. */
#pragma once

#include "core/reduce/reduce-plan.h"

const char *ms_reduce_packing_problem(const MsReduceSpec *spec, const MsReduceOptions *options);
gboolean ms_reduce_check_request(const MsReduceSpec *spec, const MsDeviceLimits *limits, guint64 n, GError **error);
gboolean ms_reduce_check_plan(const MsReducePlan *plan, GError **error);
