/* SPDX-License-Identifier: MIT */
/* MsBorders: which regions have pixels that are among each other's eight neighbours. */
#pragma once

#include "core/memory-budget.h"
#include "core/regions/runs.h"

/** MsBorders: @pairs: two labels each, the smaller one in the upper 32 bits */
typedef struct {
  guint64 *pairs;
  gsize n;
  gsize allocated;
} MsBorders;

MsBorders *ms_borders_new(const MsRuns *runs, guint32 n_labels, MsMemoryBudget *budget);
guint64 ms_borders_sort_bytes(const MsBorders *self, guint32 n_labels);
void ms_borders_free(MsBorders *self);
void ms_borders_sort(MsBorders *self, guint32 n_labels);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(MsBorders, ms_borders_free)
