/* SPDX-License-Identifier: MIT */
#include "ui/image-view/image-view-zoom.h"

#include <math.h>

#include "ui/document/document-filter.h"
#include "ui/image-view/image-view-private.h"

/* Pixels between the two panes side by side. */
#define PANE_GAP 4

/** ms_image_view_effective_mode: the mode, or the original while Space is held. */
MsViewMode
ms_image_view_effective_mode(MsImageView *self)
{
  return self->peek ? MS_VIEW_ORIGINAL : self->mode;
}

/** ms_image_view_scale: device pixels per widget pixel. */
double
ms_image_view_scale(MsImageView *self)
{
  return gtk_widget_get_scale_factor(GTK_WIDGET(self));
}

/** ms_image_view_pane_width: the width of one pane in device pixels. */
double
ms_image_view_pane_width(MsImageView *self)
{
  double width = gtk_widget_get_allocated_width(GTK_WIDGET(self)) * ms_image_view_scale(self);

  return ms_image_view_effective_mode(self) == MS_VIEW_SIDE_BY_SIDE ? floor((width - PANE_GAP) / 2) : width;
}

/** ms_image_view_pointer_in_pane: the position of the pointer in its pane, in device pixels. */
void
ms_image_view_pointer_in_pane(MsImageView *self, double *x, double *y)
{
  double pane = ms_image_view_pane_width(self);

  *x = self->pointer_x * ms_image_view_scale(self);
  *y = self->pointer_y * ms_image_view_scale(self);
  if (ms_image_view_effective_mode(self) == MS_VIEW_SIDE_BY_SIDE && *x > pane)
    *x -= pane + PANE_GAP;
}

/** ms_image_view_moved: passes the visible part to the document, which filters it first. */
void
ms_image_view_moved(MsImageView *self)
{
  MsRegion visible = ms_image_view_get_visible(self);

  if (self->document)
    ms_document_set_visible(self->document, &visible);
  gtk_widget_queue_draw(GTK_WIDGET(self));
  g_object_notify(G_OBJECT(self), "zoom");
}

/** ms_image_view_update_pane: updates the geometry after the size, scale or mode has changed. */
void
ms_image_view_update_pane(MsImageView *self)
{
  double height = gtk_widget_get_allocated_height(GTK_WIDGET(self)) * ms_image_view_scale(self);

  ms_view_geometry_set_pane(&self->geometry, ms_image_view_pane_width(self), height);
  ms_image_view_moved(self);
}

double
ms_image_view_get_zoom(MsImageView *self)
{
  return self->geometry.zoom;
}

/** ms_image_view_set_zoom: zooms about the centre; 1 is one device pixel per pixel of the picture. */
void
ms_image_view_set_zoom(MsImageView *self, double zoom)
{
  ms_view_geometry_zoom_at(&self->geometry, zoom, self->geometry.pane_width / 2, self->geometry.pane_height / 2);
  ms_image_view_moved(self);
}

void
ms_image_view_zoom_in(MsImageView *self)
{
  ms_image_view_set_zoom(self, self->geometry.zoom * MS_VIEW_WHEEL_STEP * MS_VIEW_WHEEL_STEP);
}

void
ms_image_view_zoom_out(MsImageView *self)
{
  ms_image_view_set_zoom(self, self->geometry.zoom / MS_VIEW_WHEEL_STEP / MS_VIEW_WHEEL_STEP);
}

/** ms_image_view_fit: shows the whole picture, and keeps doing so when the window is resized. */
void
ms_image_view_fit(MsImageView *self)
{
  ms_view_geometry_fit(&self->geometry);
  ms_image_view_moved(self);
}

/** ms_image_view_get_visible: the visible part of the picture. */
MsRegion
ms_image_view_get_visible(MsImageView *self)
{
  return ms_view_geometry_visible(&self->geometry);
}
