/* SPDX-License-Identifier: MIT */
/* MsPictureRegions: the regions of a document's picture, found off the main thread. */
#pragma once

#include "core/regions/segment-table.h"
#include "ui/document/document.h"
#include "ui/panels/common/picture-result.h"

G_BEGIN_DECLS

#define MS_TYPE_PICTURE_REGIONS (ms_picture_regions_get_type())
G_DECLARE_FINAL_TYPE(MsPictureRegions, ms_picture_regions, MS, PICTURE_REGIONS, MsPictureResult)

/**
 * MsRegionPicture: what is painted.
 * @MS_REGION_PICTURE_OUTLINES: the original with the outlines of the regions
 * @MS_REGION_PICTURE_LABELS: a colour for each label, neighbours in different ones as a rule
 * @MS_REGION_PICTURE_MEANS: each region in its mean colour
 */
typedef enum {
  MS_REGION_PICTURE_OUTLINES,
  MS_REGION_PICTURE_LABELS,
  MS_REGION_PICTURE_MEANS,
} MsRegionPicture;

MsPictureRegions *ms_picture_regions_new(void);
void ms_picture_regions_update(MsPictureRegions *self, MsDocument *document, guint min_pixels);
const MsSegmentation *ms_picture_regions_get_segmentation(MsPictureRegions *self);
const MsSegmentTable *ms_picture_regions_get_table(MsPictureRegions *self);
MsImage *ms_picture_regions_paint(MsPictureRegions *self, MsRegionPicture picture);

G_END_DECLS
