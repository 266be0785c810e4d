/* SPDX-License-Identifier: MIT */
/* Private members of MsImageView, for its files on zoom, input, readout and drawing. */
#pragma once

#include "ui/document/picture-regions.h"
#include "ui/image-view/image-view.h"
#include "ui/image-view/picture.h"
#include "ui/image-view/view-geometry.h"

/** MS_VIEW_WHEEL_STEP: zoom factor of one wheel click and of the zoom buttons. */
#define MS_VIEW_WHEEL_STEP 1.25

/** MsViewSlot: a picture on the screen, and the part of it that was extracted last. */
typedef struct {
  MsPicture *picture;
  cairo_surface_t *surface;
  MsRegion region;
  int level;
  int gain;
} MsViewSlot;

struct _MsImageView {
  GtkDrawingArea parent_instance;
  MsDocument *document;
  MsViewGeometry geometry;
  MsViewMode mode;
  gboolean peek;
  double divider;
  int gain;
  char *readout;
  MsViewSlot a;
  MsViewSlot b;
  MsViewSlot difference;
  MsViewSlot regions;
  MsRegionPicture region_picture;
  GCancellable *painting; /* (nullable): of the picture of the regions */

  GtkEventController *scroll;
  GtkEventController *motion;
  GtkGesture *drag;
  GtkGesture *pinch;
  double drag_x;
  double drag_y;
  double pinch_zoom;
  gboolean drags_divider;
  double pointer_x;
  double pointer_y;
  gboolean pointer_inside;
};
