/* SPDX-License-Identifier: MIT */
/* Plans the packed kernel: four samples at a time as packed bytes, for GPUs. */
#pragma once

#include "core/filter/plan/plan.h"

G_BEGIN_DECLS

gboolean ms_plan_packed(MsPlan *plan, const MsPlanRequest *request, GError **error);

G_END_DECLS
