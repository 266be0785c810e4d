/* SPDX-License-Identifier: MIT */
/* A model of the banks of local memory: how often work-items of a reduction's tree wait for one another. */
#pragma once

#include "core/reduce/reduce-plan.h"

/**
 * MsBankCounts:
 * @cycles: cycles in which the banks serve the accesses of one group; @conflicts: those beyond the first of an access
 */
typedef struct {
  guint64 cycles;
  guint64 conflicts;
} MsBankCounts;

MsBankCounts ms_bank_model_count(const MsReducePlan *plan);
