/* SPDX-License-Identifier: MIT */
/*
 * MsNoData: the pixels of a picture that have no data, which GDAL_NODATA of a TIFF file marks by a value that red,
 * green and blue have. They keep their value, and no window counts them.
 */
#pragma once

#include "core/filter/pyramid/pyramid.h"
#include "core/image/common/image.h"

/**
 * MsNoData:
 * @absent: for each pixel of @rows, 1 where it has no data, else 0
 */
typedef struct {
  guint8 *absent;
  MsRows rows;
  int width;
} MsNoData;

MsNoData *ms_no_data_find(MsImage *source, MsRows rows);
void ms_no_data_free(MsNoData *self);
void ms_no_data_place_modes(const MsNoData *self, guint16 *modes);
void ms_no_data_restore(const MsNoData *self, MsImage *source, const MsRegion *region, guint8 *pixels);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(MsNoData, ms_no_data_free)
