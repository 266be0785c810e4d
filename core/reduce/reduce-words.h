/* SPDX-License-Identifier: MIT */
/* The 64-bit words in which kernels hand over partials, folded into a result on the host. */
#pragma once

#include "core/reduce/reduce-plan.h"

G_BEGIN_DECLS

void ms_reduce_result_begin(const MsReducePlan *plan, MsReduceResult *result);
void ms_reduce_result_fold(const MsReducePlan *plan, const guint64 *words, guint64 first_element,
                           MsReduceResult *result);
void ms_reduce_atomic_start(const MsReducePlan *plan, guint64 *words);

G_END_DECLS
