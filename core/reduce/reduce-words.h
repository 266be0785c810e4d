/* SPDX-License-Identifier: MIT */
/* Folds the partials that kernels return, as 64-bit words, into a result. */
#pragma once

#include "core/reduce/reduce-plan.h"

void ms_reduce_result_begin(const MsReducePlan *plan, MsReduceResult *result);
void ms_reduce_result_fold(const MsReducePlan *plan, const guint64 *words, guint64 first_element,
                           MsReduceResult *result);
void ms_reduce_atomic_start(const MsReducePlan *plan, guint64 *words);
