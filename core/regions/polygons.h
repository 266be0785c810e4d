/* SPDX-License-Identifier: MIT */
/* Writes regions as polygons along the edges of their pixels, with the columns of their table, as GeoJSON. */
#pragma once

#include "core/image/metadata/geo.h"
#include "core/regions/segment-table.h"

gboolean ms_polygons_is_name(const char *path);

/**
 * MsPolygons: what is written.
 * @geo: (nullable): the place on the map, %NULL for columns and rows as coordinates
 * @overwrite: whether an existing file is replaced
 */
typedef struct {
  const MsSegmentation *segmentation;
  const MsSegmentTable *table;
  const MsGeo *geo;
  gboolean overwrite;
  GCancellable *cancellable;
} MsPolygons;

gboolean ms_polygons_save(const MsPolygons *self, const char *path, GError **error);
