/* SPDX-License-Identifier: MIT */
/* Removes results of an earlier run from the inputs of a batch. */
#pragma once

#include "core/batch/planning.h"

void ms_planning_leave_out_results(const MsPlanning *p, GPtrArray *inputs);
