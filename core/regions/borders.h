/* SPDX-License-Identifier: MIT */
/* MsBorders: which regions have pixels that are among each other's eight neighbours. */
#pragma once

#include "core/memory-budget.h"
#include "core/regions/segmentation.h"

/** MsBorder: the labels of two regions that touch. */
typedef struct {
  guint32 labels[2];
} MsBorder;

/**
 * MsBorders:
 * @pairs: @n in any order, until they are put in order
 * @neighbours: from ms_borders_order() on, of each region in order; those of label i begin at @starts[i - 1], and end
 *   where those of the next one begin
 * @budget: (nullable): for this memory; it holds that of the pairs afterwards
 */
typedef struct {
  MsBorder *pairs;
  gsize n;
  gsize allocated;
  guint32 *neighbours;
  gsize *starts;
  MsMemoryBudget *budget;
} MsBorders;

gboolean ms_borders_reserve(MsBorders *self, gsize n);
gboolean ms_borders_find(MsBorders *self, const MsSegmentation *segmentation);
gboolean ms_borders_order(MsBorders *self, guint32 n_regions);
void ms_borders_clear(MsBorders *self);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(MsBorders, ms_borders_clear)
