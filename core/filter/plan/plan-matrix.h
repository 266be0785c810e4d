/* SPDX-License-Identifier: MIT */
/* Plans the matrix kernel: sixteen windows at a time as matrix products, for GPUs with matrix units. */
#pragma once

#include "core/filter/plan/plan.h"

gboolean ms_plan_matrix(MsPlan *plan, const MsPlanRequest *request, GError **error);
