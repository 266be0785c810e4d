/* SPDX-License-Identifier: MIT */
/* Derives numbers and text from the folded fields of a reduction's result, and compares it with a reference. */
#pragma once

#include "core/reduce/operators.h"

void ms_reduce_result_complete(MsReduceResult *self);
double ms_reduce_result_number(const MsReduceResult *self);
char *ms_reduce_result_to_string(const MsReduceResult *self);
gboolean ms_reduce_result_agrees(const MsReduceResult *self, const MsReduceResult *reference, double tolerance);
