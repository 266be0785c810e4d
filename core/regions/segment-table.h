/* SPDX-License-Identifier: MIT */
/* MsSegmentTable: numbers of each region, written as CSV and as JSON, and the picture in the regions' mean colours. */
#pragma once

#include <json-glib/json-glib.h>

#include "core/filter/no-data.h"
#include "core/regions/segmentation.h"

/**
 * MsSegment: one region.
 * @left, @top, @right, @bottom: its first and last columns and rows
 * @x, @y: the centroid
 * @perimeter: edges of pixels between the region and another one or the outside of the picture
 * @mean, @deviation: of red, green and blue over its pixels of the original picture
 * @neighbours: labels of the @n_neighbours regions that touch it, in order; they belong to the table
 */
typedef struct {
  guint32 pixels;
  int left;
  int top;
  int right;
  int bottom;
  double x;
  double y;
  guint64 perimeter;
  double mean[3];
  double deviation[3];
  guint n_neighbours;
  const guint32 *neighbours;
} MsSegment;

/**
 * MsSegmentTable:
 * @segments: of label 1 to @n
 * @neighbours: @n_neighbours of all of them
 * @profile: (nullable): of ms_space_dup_profile(), once ms_segment_table_set_space() is called
 */
typedef struct {
  guint32 n;
  gsize n_neighbours;
  MsSegment *segments;
  guint32 *neighbours;
  char *profile;
} MsSegmentTable;

MsSegmentTable *ms_segment_table_new_on(const MsDeviceRun *run, const MsSegmentation *segmentation, MsImage *original,
                                        GError **error);
MsSegmentTable *ms_segment_table_new_within(const MsDeviceRun *run, const MsSegmentation *segmentation,
                                            MsImage *original, MsMemoryBudget *budget, GError **error);
guint64 ms_segment_table_csv_bytes(const MsSegmentTable *self);
guint64 ms_segment_table_json_bytes(const MsSegmentTable *self);
void ms_segment_table_set_space(MsSegmentTable *self, MsSpace space, MsImage *original);
void ms_segment_table_free(MsSegmentTable *self);
char *ms_segment_table_to_csv(const MsSegmentTable *self);
char *ms_segment_table_to_json(const MsSegmentTable *self);
MsImage *ms_segment_table_paint(const MsSegmentTable *self, const MsSegmentation *segmentation, MsImage *original);
MsImage *ms_segmentation_outline(const MsSegmentation *self, MsImage *original);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(MsSegmentTable, ms_segment_table_free)

void ms_left_out_drop(const MsNoData *no_data, MsSegmentation *segmentation, MsSegmentTable *table);
