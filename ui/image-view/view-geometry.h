/* SPDX-License-Identifier: MIT */
/* MsViewGeometry: the position of a picture in a pane: zoom, centre, and conversion of coordinates. */
#pragma once

#include "core/image/common/image.h"

#define MS_ZOOM_MIN (1.0 / 64)
#define MS_ZOOM_MAX 64.0

/**
 * MsViewGeometry: lengths are device pixels, so that 1:1 is sharp on any screen.
 * @zoom: device pixels for each pixel of the picture
 * @centre_x: the point of the picture in the middle of the pane
 * @fit: whether the zoom follows the size of the pane
 */
typedef struct {
  double zoom;
  double centre_x;
  double centre_y;
  gboolean fit;
  int width;
  int height;
  double pane_width;
  double pane_height;
} MsViewGeometry;

void ms_view_geometry_set_picture(MsViewGeometry *self, int width, int height);
void ms_view_geometry_set_pane(MsViewGeometry *self, double width, double height);
void ms_view_geometry_fit(MsViewGeometry *self);
void ms_view_geometry_zoom_at(MsViewGeometry *self, double zoom, double pane_x, double pane_y);
void ms_view_geometry_pan(MsViewGeometry *self, double dx, double dy);
void ms_view_geometry_get_origin(const MsViewGeometry *self, double *x, double *y);
void ms_view_geometry_to_picture(const MsViewGeometry *self, double pane_x, double pane_y, double *x, double *y);
MsRegion ms_view_geometry_visible(const MsViewGeometry *self);
