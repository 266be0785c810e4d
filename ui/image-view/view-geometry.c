/* SPDX-License-Identifier: MIT */
#include "ui/image-view/view-geometry.h"

#include <math.h>

/* Maximum enlargement of a fitted picture; up to here it stays at 1:1, where all pixels have one width. */
#define FIT_STAYS_AT_ONE 2.0

static double
clamp_centre(double centre, double extent, double pane, double zoom)
{
  double half = pane / zoom / 2;

  return 2 * half >= extent ? extent / 2 : CLAMP(centre, half, extent - half);
}

static void
clamp(MsViewGeometry *self)
{
  if (self->width == 0 || self->pane_width <= 0 || self->pane_height <= 0)
    return;
  self->centre_x = clamp_centre(self->centre_x, self->width, self->pane_width, self->zoom);
  self->centre_y = clamp_centre(self->centre_y, self->height, self->pane_height, self->zoom);
}

static double
fitting_zoom(const MsViewGeometry *self)
{
  double zoom = MIN(self->pane_width / self->width, self->pane_height / self->height);

  if (zoom > 1)
    zoom = zoom < FIT_STAYS_AT_ONE ? 1 : floor(zoom);
  return CLAMP(zoom, MS_ZOOM_MIN, MS_ZOOM_MAX);
}

/** ms_view_geometry_fit: shows the whole picture, and keeps doing so when the pane is resized. */
void
ms_view_geometry_fit(MsViewGeometry *self)
{
  self->fit = TRUE;
  if (self->width == 0 || self->pane_width <= 0 || self->pane_height <= 0)
    return;
  self->zoom = fitting_zoom(self);
  clamp(self);
}

/** ms_view_geometry_set_picture: sets the size of the picture; a picture of the same size keeps its position. */
void
ms_view_geometry_set_picture(MsViewGeometry *self, int width, int height)
{
  if (self->width == width && self->height == height)
    return;
  self->width = width;
  self->height = height;
  ms_view_geometry_fit(self);
}

void
ms_view_geometry_set_pane(MsViewGeometry *self, double width, double height)
{
  self->pane_width = width;
  self->pane_height = height;
  if (self->fit)
    ms_view_geometry_fit(self);
  else
    clamp(self);
}

/**
 * ms_view_geometry_get_origin: the position of the picture's top left corner in the pane, rounded to a device pixel.
 */
void
ms_view_geometry_get_origin(const MsViewGeometry *self, double *x, double *y)
{
  *x = round(self->pane_width / 2 - self->centre_x * self->zoom);
  *y = round(self->pane_height / 2 - self->centre_y * self->zoom);
}

/** ms_view_geometry_to_picture: the point of the picture below a point of the pane; may lie outside the picture. */
void
ms_view_geometry_to_picture(const MsViewGeometry *self, double pane_x, double pane_y, double *x, double *y)
{
  double origin_x, origin_y;

  ms_view_geometry_get_origin(self, &origin_x, &origin_y);
  *x = (pane_x - origin_x) / self->zoom;
  *y = (pane_y - origin_y) / self->zoom;
}

/** ms_view_geometry_zoom_at: changes the zoom so that the point of the picture below (@pane_x, @pane_y) stays there. */
void
ms_view_geometry_zoom_at(MsViewGeometry *self, double zoom, double pane_x, double pane_y)
{
  double x, y;

  ms_view_geometry_to_picture(self, pane_x, pane_y, &x, &y);
  self->fit = FALSE;
  self->zoom = CLAMP(zoom, MS_ZOOM_MIN, MS_ZOOM_MAX);
  self->centre_x = x - (pane_x - self->pane_width / 2) / self->zoom;
  self->centre_y = y - (pane_y - self->pane_height / 2) / self->zoom;
  clamp(self);
}

/** ms_view_geometry_pan: moves the picture by @dx and @dy device pixels. */
void
ms_view_geometry_pan(MsViewGeometry *self, double dx, double dy)
{
  self->centre_x -= dx / self->zoom;
  self->centre_y -= dy / self->zoom;
  clamp(self);
}

/** ms_view_geometry_visible: the pixels of the picture that are at least partly visible; empty when there are none. */
MsRegion
ms_view_geometry_visible(const MsViewGeometry *self)
{
  double x0, y0, x1, y1;

  if (self->width == 0 || self->pane_width <= 0 || self->pane_height <= 0)
    return (MsRegion){0, 0, 0, 0};
  ms_view_geometry_to_picture(self, 0, 0, &x0, &y0);
  ms_view_geometry_to_picture(self, self->pane_width, self->pane_height, &x1, &y1);
  int left = CLAMP((int)floor(x0), 0, self->width), right = CLAMP((int)ceil(x1), 0, self->width);
  int top = CLAMP((int)floor(y0), 0, self->height), bottom = CLAMP((int)ceil(y1), 0, self->height);
  return (MsRegion){left, top, right - left, bottom - top};
}
