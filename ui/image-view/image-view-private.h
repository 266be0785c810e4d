/* SPDX-License-Identifier: MIT */
/* What the files of MsImageView share: its members and functions. */
#pragma once

#include <gtk/gtk-a11y.h>
#include <gtk/gtk.h>

#include "ui/common/screen-colours.h"
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
  const MsColour *colours; /* (nullable): by which the part was converted */
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
  MsViewSlot original;
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
  int monitor; /* that the view is drawn on */
};

void ms_image_view_set_divider(MsImageView *self, double divider);
char *ms_image_view_badge(MsImageView *self);
void ms_image_view_update_readout(MsImageView *self);

/* Drawing, and the regions that are drawn. */
void ms_image_view_draw(MsImageView *self, cairo_t *cr);
void ms_image_view_draw_anew(MsImageView *self);
void ms_image_view_follow_regions(MsImageView *self);
void ms_image_view_leave_regions(MsImageView *self);
void ms_image_view_update_regions(MsImageView *self);
void ms_image_view_paint_regions(MsImageView *self);
char *ms_image_view_caption_regions(MsImageView *self);
void ms_image_view_click(MsImageView *self, double x, double y);
void ms_view_slot_show(MsViewSlot *self, MsImage *image, MsImage *other, GtkWidget *view);
void ms_view_slot_clear(MsViewSlot *self);

/* Zoom, pan, pointer and keys. */
void ms_image_view_add_input(MsImageView *self);
gboolean ms_image_view_press_key(MsImageView *self, GdkEventKey *event);
void ms_image_view_moved(MsImageView *self);
void ms_image_view_update_pane(MsImageView *self);
double ms_image_view_scale(MsImageView *self);
void ms_image_view_pointer_in_pane(MsImageView *self, double *x, double *y);
MsViewMode ms_image_view_effective_mode(MsImageView *self);
double ms_image_view_pane_width(MsImageView *self);
