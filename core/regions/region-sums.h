/* SPDX-License-Identifier: MIT */
/* MsRegionSums: integers over the pixels of a region, from which its means and deviations follow. */
#pragma once

#include "core/regions/borders.h"
#include "core/regions/segmentation.h"

/**
 * MsRegionSums:
 * @x, @y: sums of columns and rows
 * @sums, @squares: of red, green and blue, and of their squares
 * @perimeter: edges of pixels between the region and another one or the outside of the picture
 * @left, @top, @right, @bottom: first and last columns and rows
 */
typedef struct {
  guint64 x;
  guint64 y;
  guint64 sums[3];
  guint64 squares[3];
  guint64 perimeter;
  guint32 pixels;
  int left;
  int top;
  int right;
  int bottom;
} MsRegionSums;

void ms_region_sums_find(const MsSegmentation *segmentation, MsImage *original, MsRegionSums *sums);
gboolean ms_region_sums_fit(MsContext *context, const MsSegmentation *segmentation);
gboolean ms_region_sums_find_on(const MsDeviceRun *run, const MsSegmentation *segmentation, MsImage *original,
                                MsRegionSums *sums, MsBorders *borders, GError **error);
