/* SPDX-License-Identifier: MIT */
/* MslabRegions: the regions of an image, their table, and the image in their mean colours. */
#pragma once

#include "mslab-image.h"

G_BEGIN_DECLS

/**
 * MslabRegion:
 * @pixels: number of pixels
 * @left: first column
 * @top: first row
 * @right: last column
 * @bottom: last row
 * @x: column of the centroid
 * @y: row of the centroid
 * @mean: the means of R, G and B over the region's pixels of the image before it was filtered
 * @deviation: the standard deviations of R, G and B over the same pixels, of the population
 * @perimeter: the number of edges of pixels between the region and another one or the outside of the image
 *
 * The numbers of one region.
 */
typedef struct {
  guint pixels;
  int left;
  int top;
  int right;
  int bottom;
  double x;
  double y;
  double mean[3];
  double deviation[3];
  guint64 perimeter;
} MslabRegion;

#define MSLAB_TYPE_REGIONS (mslab_regions_get_type())

G_DECLARE_FINAL_TYPE(MslabRegions, mslab_regions, MSLAB, REGIONS, GObject)

guint mslab_regions_get_count(MslabRegions *self);
GBytes *mslab_regions_get_labels(MslabRegions *self);
void mslab_regions_get_region(MslabRegions *self, guint label, MslabRegion *region);
const guint32 *mslab_regions_get_neighbours(MslabRegions *self, guint label, gsize *n_neighbours);
MslabImage *mslab_regions_get_means(MslabRegions *self);
MslabImage *mslab_regions_get_outlines(MslabRegions *self);
char *mslab_regions_to_csv(MslabRegions *self);
char *mslab_regions_to_json(MslabRegions *self);

G_END_DECLS
