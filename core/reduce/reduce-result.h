/* SPDX-License-Identifier: MIT */
/* What follows from the folded fields of a reduction's result: derived numbers, text, comparison with a reference. */
#pragma once

#include "core/reduce/operators.h"

G_BEGIN_DECLS

void ms_reduce_result_complete(MsReduceResult *self);
double ms_reduce_result_number(const MsReduceResult *self);
char *ms_reduce_result_to_string(const MsReduceResult *self);
gboolean ms_reduce_result_agrees(const MsReduceResult *self, const MsReduceResult *reference, double tolerance);

G_END_DECLS
