/* SPDX-License-Identifier: MIT */
/* MsRegionPicture: the ways in which the regions of a picture are painted. */
#pragma once

#include "core/regions/segment-table.h"

/**
 * MsRegionPicture: what is painted.
 * @MS_REGION_PICTURE_OUTLINES: the original with the outlines of the regions
 * @MS_REGION_PICTURE_LABELS: a colour for each label, usually another one than the neighbours'
 * @MS_REGION_PICTURE_MEANS: each region in its mean colour
 */
typedef enum {
  MS_REGION_PICTURE_OUTLINES,
  MS_REGION_PICTURE_LABELS,
  MS_REGION_PICTURE_MEANS,
  MS_N_REGION_PICTURES,
} MsRegionPicture;

MsImage *ms_region_picture_paint(MsRegionPicture self, const MsSegmentation *segmentation, const MsSegmentTable *table,
                                 MsImage *source);
