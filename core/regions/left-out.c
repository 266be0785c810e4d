/* SPDX-License-Identifier: MIT */
#include "core/regions/left-out.h"

/* For each label, the one that it becomes: 0 for a region of pixels without data. */
static guint32 *
new_labels(const MsNoData *no_data, MsSegmentation *segmentation)
{
  const gsize n = (gsize)segmentation->width * (gsize)segmentation->height;
  guint32 *labels = g_new(guint32, (gsize)segmentation->n + 1);
  guint32 count = 0;

  for (guint32 i = 0; i <= segmentation->n; i++)
    labels[i] = i;
  for (gsize i = 0; i < n; i++)
    if (no_data->absent[i])
      labels[segmentation->labels[i]] = 0;
  for (guint32 i = 1; i <= segmentation->n; i++)
    labels[i] = labels[i] ? ++count : 0;
  segmentation->n = count;
  return labels;
}

/* Renames the neighbours of a region, leaves out those that vanish, and moves the others to @to, which has room. */
static void
rename_neighbours(MsSegment *segment, const guint32 *labels, guint32 *to)
{
  guint kept = 0;

  for (guint i = 0; i < segment->n_neighbours; i++) {
    to[kept] = labels[segment->neighbours[i]];
    kept += to[kept] > 0;
  }
  segment->neighbours = to;
  segment->n_neighbours = kept;
}

/**
 * ms_left_out_drop:
 * @no_data: of the whole picture; @segmentation was made with them
 * @segmentation: (inout): its pixels without data get label 0, its regions follow each other from 1 on
 * @table: (inout): of @segmentation
 */
void
ms_left_out_drop(const MsNoData *no_data, MsSegmentation *segmentation, MsSegmentTable *table)
{
  const gsize n = (gsize)segmentation->width * (gsize)segmentation->height;
  const guint32 before = segmentation->n;
  g_autofree guint32 *labels = new_labels(no_data, segmentation);

  for (gsize i = 0; i < n; i++)
    segmentation->labels[i] = labels[segmentation->labels[i]];
  table->n_neighbours = 0;
  for (guint32 i = 1; i <= before; i++)
    if (labels[i]) {
      rename_neighbours(&table->segments[i - 1], labels, table->neighbours + table->n_neighbours);
      table->segments[labels[i] - 1] = table->segments[i - 1];
      table->n_neighbours += table->segments[i - 1].n_neighbours;
    }
  table->n = segmentation->n;
}
