/* SPDX-License-Identifier: MIT */
/*
 * MsSegmentation: the regions of a filtered picture: connected pixels whose modes lie close together, after small
 * regions have been merged.
 */
#pragma once

#include <gio/gio.h>

#include "core/filter/settings/params.h"
#include "core/image/common/image.h"
#include "core/opencl/context.h"
#include "core/regions/closeness.h"

G_BEGIN_DECLS

/**
 * MsSegmentation:
 * @labels: the region of each pixel, from 1 to @n, numbered in the order of their first pixels
 * @n: number of regions
 */
typedef struct {
  int width;
  int height;
  guint32 n;
  guint32 *labels;
} MsSegmentation;

/* The share of the colour radius up to which neighbours are of one region. */
#define MS_REGION_RANGE_DEFAULT 0.5

/**
 * MsRegionOptions:
 * @min_pixels: regions with fewer pixels join a neighbour; 0 or 1 for none
 * @range: the share of the colour radius up to which neighbours are of one region
 */
typedef struct {
  guint min_pixels;
  double range;
} MsRegionOptions;

MsLabelRule ms_segmentation_rule(const MsParams *params, double range);
MsSegmentation *ms_segmentation_new_on(MsContext *context, MsImage *filtered, const guint16 *modes,
                                       const MsParams *params, const MsRegionOptions *options,
                                       GCancellable *cancellable, GError **error);
MsSegmentation *ms_segmentation_new(MsImage *filtered, const guint16 *modes, const MsParams *params, guint min_pixels,
                                    GCancellable *cancellable, GError **error);
void ms_segmentation_free(MsSegmentation *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(MsSegmentation, ms_segmentation_free)

G_END_DECLS
