/* SPDX-License-Identifier: MIT */
/* MsBorders: which regions have pixels that are among each other's eight neighbours. */
#pragma once

#include "core/memory-budget.h"
#include "core/regions/segmentation.h"

/**
 * MsBorders:
 * @pairs: two labels each, the smaller one in the upper 32 bits
 * @budget: (nullable): for this memory; it holds that of the pairs afterwards
 */
typedef struct {
  guint64 *pairs;
  gsize n;
  gsize allocated;
  MsMemoryBudget *budget;
} MsBorders;

gboolean ms_borders_reserve(MsBorders *self, gsize n);
gboolean ms_borders_find(MsBorders *self, const MsSegmentation *segmentation);
guint64 ms_borders_sort_bytes(const MsBorders *self, guint32 n_labels);
void ms_borders_sort(MsBorders *self, guint32 n_labels);
void ms_borders_clear(MsBorders *self);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(MsBorders, ms_borders_clear)
