/* SPDX-License-Identifier: MIT */
/* MsRegionPixels: the number of pixels and the sums of the colours of regions, and which pixels the small ones have. */
#pragma once

#include "core/regions/label-request.h"

/* Marks the number of a pixel in the first or last column; numbers of pixels have 31 bits. */
#define MS_PIXEL_AT_SIDE (1u << 31)

/**
 * MsRegionEntry:
 * @sums: of three channels
 * @start: of its pixels in the array of places, if it is small
 * @capacity: the most pixels for which there is space from @start on
 */
typedef struct {
  guint64 sums[3];
  guint32 start;
  guint32 capacity;
} MsRegionEntry;

/**
 * MsRegionPixels:
 * @n: number of regions
 * @min_pixels: a region with fewer pixels is small
 * @budget: (nullable): for the following; the caller gives it back
 * @counts, @regions: by label, from 1 on: number of pixels, and the rest
 * @places: numbers of pixels, with %MS_PIXEL_AT_SIDE, in a list for each small region
 * @n_places, @allocated: elements of @places that are used, and all
 */
typedef struct {
  guint32 n;
  guint min_pixels;
  MsMemoryBudget *budget;
  guint32 *counts;
  MsRegionEntry *regions;
  guint32 *places;
  gsize n_places;
  gsize allocated;
} MsRegionPixels;

gboolean ms_region_pixels_find(MsRegionPixels *self, const MsLabelRequest *request, const MsLabels *labels,
                               int n_parts);
gboolean ms_region_pixels_append(MsRegionPixels *self, guint32 label, guint32 used, guint32 from);
void ms_region_pixels_clear(MsRegionPixels *self);

static inline gboolean
ms_region_pixels_is_small(const MsRegionPixels *self, guint32 label)
{
  return self->counts[label] < self->min_pixels;
}
