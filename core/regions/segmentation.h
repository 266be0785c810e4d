/* SPDX-License-Identifier: MIT */
/*
 * MsSegmentation: the regions of a filtered picture: connected pixels whose modes lie close together, after small
 * regions have been merged.
 */
#pragma once

#include <gio/gio.h>

#include "core/filter/settings/settings.h"
#include "core/image/common/image.h"
#include "core/memory-budget.h"
#include "core/opencl/context.h"
#include "core/regions/regions.h"

/**
 * MsSegmentation:
 * @labels: the region of each pixel, from 1 to @n, numbered in the order of their first pixels
 * @n: number of regions
 * @rounds: in which small regions have joined others
 * @context, @on_device: (nullable): the device that has found the regions, and the labels in its memory
 * @source: (nullable): the picture that was filtered, in the memory of that device until the filter runs again
 */
typedef struct {
  int width;
  int height;
  guint32 n;
  guint32 *labels;
  guint rounds;
  MsContext *context;
  cl_mem on_device;
  cl_mem source;
} MsSegmentation;

/* The share of the colour radius up to which neighbours are of one region. */
#define MS_REGION_RANGE_DEFAULT 0.5

/**
 * MsRegionOptions:
 * @min_pixels: regions with fewer pixels join a neighbour; 0 or 1 for none
 * @range: the share of the colour radius up to which neighbours are of one region
 * @budget: (nullable): for the memory of the regions; it holds that of the labels afterwards
 * @log: (nullable): gets what a device computes
 */
typedef struct {
  guint min_pixels;
  double range;
  MsMemoryBudget *budget;
  MsTimingLog *log;
} MsRegionOptions;

/**
 * MsFiltered: what regions are found in.
 * @image: the result of the filter, in the colour space of @params
 * @modes: column and row of each pixel's mode
 * @params: what both were computed with
 * @on_device: the same in the memory of the device that finds the regions, where it stayed there; @image has then its
 *   size alone, and @modes is %NULL
 * @absent: (nullable): for each pixel whether it has no data, without @on_device; see ms_left_out_drop()
 */
typedef struct {
  MsImage *image;
  const guint16 *modes;
  const MsParams *params;
  MsDeviceResult on_device;
  const guint8 *absent;
} MsFiltered;

gboolean ms_segmentation_fits(MsContext *context, MsImage *image);
MsSegmentation *ms_segmentation_new_on(MsContext *context, const MsFiltered *filtered, const MsRegionOptions *options,
                                       GCancellable *cancellable, GError **error);
MsSegmentation *ms_segmentation_new(const MsFiltered *filtered, guint min_pixels, GCancellable *cancellable,
                                    GError **error);
gboolean ms_labels_are_within(const guint32 *labels, gsize n, guint32 first, guint32 last);
gboolean ms_segmentation_check(const MsSegmentation *self, GError **error);
void ms_segmentation_free(MsSegmentation *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(MsSegmentation, ms_segmentation_free)
