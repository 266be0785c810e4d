/* SPDX-License-Identifier: MIT */
/* Classes of problems of similar size: the fastest settings of one problem are used for its whole class. */
#pragma once

#include "core/reduce/reduce-plan.h"

char *ms_problem_class_filter(double sp, gint64 width, gint64 height);
char *ms_problem_class_reduce(const MsReduceSpec *spec, guint64 n);
