/* SPDX-License-Identifier: MIT */
/* MsPictureRegions: the regions of a document's picture, found off the main thread, and the one that is selected. */
#pragma once

#include "core/regions/segment-table.h"
#include "ui/document/document.h"
#include "ui/engine/picture-result.h"

/**
 * MsRegionPicture: how the regions of a picture are painted.
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

/**
 * MsRegionFile: what --regions writes.
 * @MS_REGION_FILE_MEANS: a picture of the mean colours, as -o
 * @MS_REGION_FILE_OUTLINES: the original with outlines, as --outlines
 * @MS_REGION_FILE_LABELS: the label of each pixel, as --labels: .npy or .png
 * @MS_REGION_FILE_CSV: the table, as --csv
 * @MS_REGION_FILE_JSON: the table, as --json
 */
typedef enum {
  MS_REGION_FILE_MEANS,
  MS_REGION_FILE_OUTLINES,
  MS_REGION_FILE_LABELS,
  MS_REGION_FILE_CSV,
  MS_REGION_FILE_JSON,
} MsRegionFile;

#define MS_TYPE_PICTURE_REGIONS (ms_picture_regions_get_type())
/*
 * Properties, with notify: "min-pixels" (uint: smaller regions join a neighbour), "range" (double: neighbours are of
 * one region up to this many colour radii apart), "selected" (uint: the label of the selected region, 0 for none)
 */
G_DECLARE_FINAL_TYPE(MsPictureRegions, ms_picture_regions, MS, PICTURE_REGIONS, MsPictureResult)

MsPictureRegions *ms_picture_regions_of(MsDocument *document);
void ms_picture_regions_update(MsPictureRegions *self, MsDocument *document);
const MsSegmentation *ms_picture_regions_get_segmentation(MsPictureRegions *self);
const MsSegmentTable *ms_picture_regions_get_table(MsPictureRegions *self);
guint32 ms_picture_regions_get_selected(MsPictureRegions *self);
void ms_picture_regions_select(MsPictureRegions *self, guint32 label);
void ms_picture_regions_select_pixel(MsPictureRegions *self, int x, int y);
void ms_picture_regions_paint_async(MsPictureRegions *self, MsRegionPicture picture, GCancellable *cancellable,
                                    GAsyncReadyCallback callback, gpointer data);
MsImage *ms_picture_regions_paint_finish(MsPictureRegions *self, GAsyncResult *result, GError **error);
void ms_picture_regions_save_async(MsPictureRegions *self, MsRegionFile kind, const char *path,
                                   GAsyncReadyCallback callback, gpointer data);
gboolean ms_picture_regions_save_finish(MsPictureRegions *self, GAsyncResult *result, char **losses, GError **error);
