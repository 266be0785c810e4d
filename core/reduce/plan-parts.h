/* SPDX-License-Identifier: MIT */
/* Which kernel parts and constants a reduction plan is made of. */
#pragma once

#include "core/reduce/reduce-plan.h"

void ms_reduce_plan_compose(MsReducePlan *plan);
