/* SPDX-License-Identifier: MIT */
#include "ui/image-view/image-view-slot.h"

/* Pixels around the visible part that are extracted as well, so that a short pan needs no new extraction. */
#define MARGIN 64

/* Side of one square of the chequerboard behind transparent pictures, in device pixels. */
#define CHEQUER 8

static void
surface_clear(MsViewSlot *slot)
{
  g_clear_pointer(&slot->surface, cairo_surface_destroy);
}

static void
prepared_cb(MsPicture *picture, GtkWidget *view)
{
  MsImageView *self = MS_IMAGE_VIEW(view);

  surface_clear(&self->a);
  surface_clear(&self->b);
  surface_clear(&self->difference);
  surface_clear(&self->regions);
  gtk_widget_queue_draw(view);
}

void
ms_view_slot_clear(MsViewSlot *self)
{
  surface_clear(self);
  if (self->picture)
    g_signal_handlers_disconnect_matched(self->picture, G_SIGNAL_MATCH_FUNC, 0, 0, NULL, prepared_cb, NULL);
  g_clear_pointer(&self->picture, ms_picture_abandon);
}

/** ms_view_slot_show: draws @image, or its difference from @other; both nullable. */
void
ms_view_slot_show(MsViewSlot *self, MsImage *image, MsImage *other, GtkWidget *view)
{
  if (self->picture && image && ms_picture_shows(self->picture, image, other))
    return;
  ms_view_slot_clear(self);
  if (!image)
    return;
  self->picture = other ? ms_picture_new_difference(image, other) : ms_picture_new(image);
  g_signal_connect_object(self->picture, "prepared", G_CALLBACK(prepared_cb), view, 0);
  ms_picture_prepare(self->picture);
}

static gboolean
contains(const MsRegion *outer, const MsRegion *inner)
{
  return inner->x >= outer->x && inner->y >= outer->y && inner->x + inner->width <= outer->x + outer->width &&
         inner->y + inner->height <= outer->y + outer->height;
}

static MsRegion
at_level(const MsRegion *region, int level, int margin, int width, int height)
{
  int end_x = (width + (1 << level) - 1) >> level, end_y = (height + (1 << level) - 1) >> level;
  int x0 = MAX((region->x >> level) - margin, 0), y0 = MAX((region->y >> level) - margin, 0);
  int x1 = MIN(((region->x + region->width + (1 << level) - 1) >> level) + margin, end_x);
  int y1 = MIN(((region->y + region->height + (1 << level) - 1) >> level) + margin, end_y);

  return (MsRegion){x0, y0, x1 - x0, y1 - y0};
}

static void
ready_surface(MsViewSlot *slot, const MsRegion *visible, int level, int gain)
{
  int width = ms_picture_get_width(slot->picture), height = ms_picture_get_height(slot->picture);
  MsRegion needed = at_level(visible, level, 0, width, height);

  if (slot->surface && slot->level == level && slot->gain == gain && contains(&slot->region, &needed))
    return;
  surface_clear(slot);
  slot->level = level;
  slot->gain = gain;
  slot->region = at_level(visible, level, MARGIN, width, height);
  slot->surface = ms_picture_extract(slot->picture, level, &slot->region, gain);
}

/* Paints a surface of reduction level @level at its place in the picture's coordinates. */
static void
paint_surface(cairo_t *cr, cairo_surface_t *surface, const MsRegion *region, int level, double zoom)
{
  cairo_save(cr);
  cairo_scale(cr, 1 << level, 1 << level);
  cairo_set_source_surface(cr, surface, region->x, region->y);
  cairo_pattern_set_extend(cairo_get_source(cr), CAIRO_EXTEND_PAD);
  cairo_pattern_set_filter(cairo_get_source(cr), zoom >= 1 ? CAIRO_FILTER_NEAREST : CAIRO_FILTER_BILINEAR);
  cairo_rectangle(cr, region->x, region->y, region->width, region->height);
  cairo_fill(cr);
  cairo_restore(cr);
}

/* Fills the clip; squares are fixed to the pane, so that they do not move with the picture. */
static void
draw_chequers(cairo_t *cr)
{
  double left, top, right, bottom;

  cairo_clip_extents(cr, &left, &top, &right, &bottom);
  cairo_set_source_rgb(cr, 0.6, 0.6, 0.6);
  cairo_paint(cr);
  cairo_set_source_rgb(cr, 0.4, 0.4, 0.4);
  for (int y = MAX((int)top / CHEQUER, 0); y * CHEQUER < bottom; y++)
    for (int x = MAX((int)left / CHEQUER / 2 * 2, 0) + y % 2; x * CHEQUER < right; x += 2)
      cairo_rectangle(cr, x * CHEQUER, y * CHEQUER, CHEQUER, CHEQUER);
  cairo_fill(cr);
}

/* Changes the unit of @cr from device pixels of the pane to pixels of the picture. */
static void
to_picture(cairo_t *cr, const MsViewGeometry *geometry)
{
  double x, y;

  ms_view_geometry_get_origin(geometry, &x, &y);
  cairo_translate(cr, x, y);
  cairo_scale(cr, geometry->zoom, geometry->zoom);
}

/** ms_view_slot_draw: draws the visible part of a picture, a difference multiplied by @gain. */
void
ms_view_slot_draw(MsImageView *self, cairo_t *cr, MsViewSlot *slot, int gain)
{
  MsRegion visible = ms_view_geometry_visible(&self->geometry);

  if (!slot->picture || visible.width <= 0 || visible.height <= 0)
    return;
  ready_surface(slot, &visible, ms_picture_level_for_zoom(slot->picture, self->geometry.zoom), gain);
  cairo_matrix_t pane;
  cairo_save(cr);
  cairo_get_matrix(cr, &pane);
  to_picture(cr, &self->geometry);
  cairo_rectangle(cr, 0, 0, self->geometry.width, self->geometry.height);
  cairo_clip(cr);
  if (!ms_picture_is_opaque(slot->picture) && ms_picture_is_prepared(slot->picture)) {
    cairo_save(cr);
    cairo_set_matrix(cr, &pane);
    draw_chequers(cr);
    cairo_restore(cr);
  }
  paint_surface(cr, slot->surface, &slot->region, slot->level, self->geometry.zoom);
  cairo_restore(cr);
}

/* The visible part of a piece, in the piece's own pixels. */
static gboolean
visible_part(MsImageView *self, const MsPiece *piece, MsRegion *part)
{
  MsRegion visible = ms_view_geometry_visible(&self->geometry);
  GdkRectangle shown = {visible.x, visible.y, visible.width, visible.height}, common;
  const GdkRectangle whole = {piece->region.x, piece->region.y, piece->region.width, piece->region.height};

  if (!gdk_rectangle_intersect(&shown, &whole, &common))
    return FALSE;
  *part = (MsRegion){common.x - whole.x, common.y - whole.y, common.width, common.height};
  return TRUE;
}

/** ms_view_slot_draw_piece: draws a finished part of the next result at its place. */
void
ms_view_slot_draw_piece(MsImageView *self, cairo_t *cr, const MsPiece *piece)
{
  g_autoptr(MsPicture) picture = ms_picture_new(piece->image);
  cairo_surface_t *surface;
  MsRegion part;
  int level = 0;

  if (!visible_part(self, piece, &part))
    return;
  while (self->geometry.zoom * (1 << level) <= 0.5)
    level++;
  part = at_level(&part, level, 0, piece->region.width, piece->region.height);
  surface = ms_picture_extract(picture, level, &part, 1);
  cairo_save(cr);
  to_picture(cr, &self->geometry);
  cairo_rectangle(cr, piece->region.x, piece->region.y, piece->region.width, piece->region.height);
  cairo_clip(cr);
  cairo_translate(cr, piece->region.x, piece->region.y);
  paint_surface(cr, surface, &part, level, self->geometry.zoom);
  cairo_restore(cr);
  cairo_surface_destroy(surface);
}
