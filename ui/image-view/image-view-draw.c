/* SPDX-License-Identifier: MIT */
#include "ui/image-view/image-view-draw.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "ui/document/document-filter.h"
#include "ui/document/document-runs.h"
#include "ui/image-view/image-view-private.h"
#include "ui/image-view/image-view-regions.h"
#include "ui/image-view/image-view-zoom.h"

/* Zoom from which every pixel gets a frame. */
#define GRID_ZOOM 8.0

/* Border around the visible part, in pixels, that is extracted too, so that a short pan needs no new extraction. */
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

static void
draw_slot(MsImageView *self, cairo_t *cr, MsViewSlot *slot, int gain)
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

static void
draw_piece(MsImageView *self, cairo_t *cr, const MsPiece *piece)
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

/*
 * Side B shows the newest result and, on top of it, the finished pieces of the next one; before the first result it
 * shows the original.
 */
static void
draw_filtered(MsImageView *self, cairo_t *cr)
{
  GPtrArray *pieces = ms_document_get_pieces(self->document);

  draw_slot(self, cr, self->b.picture ? &self->b : &self->a, 1);
  if (ms_document_get_run_b(self->document))
    return;
  for (guint i = 0; i < pieces->len; i++)
    draw_piece(self, cr, g_ptr_array_index(pieces, i));
}

static void
draw_grid(MsImageView *self, cairo_t *cr)
{
  MsRegion visible = ms_view_geometry_visible(&self->geometry);
  double x0, y0, zoom = self->geometry.zoom;

  if (zoom < GRID_ZOOM)
    return;
  ms_view_geometry_get_origin(&self->geometry, &x0, &y0);
  cairo_save(cr);
  cairo_set_line_width(cr, 1);
  cairo_set_source_rgba(cr, 0.5, 0.5, 0.5, 0.5);
  for (int x = visible.x; x <= visible.x + visible.width; x++) {
    cairo_move_to(cr, round(x0 + x * zoom) + 0.5, y0 + visible.y * zoom);
    cairo_rel_line_to(cr, 0, visible.height * zoom);
  }
  for (int y = visible.y; y <= visible.y + visible.height; y++) {
    cairo_move_to(cr, x0 + visible.x * zoom, round(y0 + y * zoom) + 0.5);
    cairo_rel_line_to(cr, visible.width * zoom, 0);
  }
  cairo_stroke(cr);
  cairo_restore(cr);
}

/* Draws a caption, so that a side is not identified by its position or colours alone. */
static void
draw_caption(MsImageView *self, cairo_t *cr, const char *text, double x, gboolean right)
{
  int scale = gtk_widget_get_scale_factor(GTK_WIDGET(self)), width, height;
  g_autoptr(PangoLayout) layout = gtk_widget_create_pango_layout(GTK_WIDGET(self), text);

  pango_layout_get_pixel_size(layout, &width, &height);
  cairo_save(cr);
  cairo_scale(cr, scale, scale);
  x = right ? x / scale - width - 26 : x / scale + 10;
  cairo_new_sub_path(cr);
  cairo_arc(cr, x + height / 2.0 + 4, 10 + height / 2.0 + 4, height / 2.0 + 4, G_PI / 2, 3 * G_PI / 2);
  cairo_arc(cr, x + width + 12 - height / 2.0, 10 + height / 2.0 + 4, height / 2.0 + 4, -G_PI / 2, G_PI / 2);
  cairo_close_path(cr);
  cairo_set_source_rgba(cr, 0, 0, 0, 0.6);
  cairo_fill(cr);
  cairo_set_source_rgb(cr, 1, 1, 1);
  cairo_move_to(cr, x + 8, 14);
  pango_cairo_show_layout(cr, layout);
  cairo_restore(cr);
}

static char *
caption_a(MsImageView *self)
{
  MsRun *run = ms_document_get_run_a(self->document);

  return g_strdup(run ? ms_run_get_label(run) : _("Original"));
}

static char *
caption_b(MsImageView *self)
{
  MsRun *run = ms_document_get_run_b(self->document);

  return run ? g_strdup(ms_run_get_label(run)) : ms_image_view_badge(self);
}

static void
draw_divider(MsImageView *self, cairo_t *cr, double x, double height)
{
  double scale = gtk_widget_get_scale_factor(GTK_WIDGET(self)), r = 11 * scale, y = height / 2;

  cairo_set_source_rgba(cr, 0, 0, 0, 0.55);
  cairo_rectangle(cr, x - 1.5 * scale, 0, 3 * scale, height);
  cairo_fill(cr);
  cairo_set_source_rgb(cr, 1, 1, 1);
  cairo_rectangle(cr, x - 0.5 * scale, 0, scale, height);
  cairo_fill(cr);
  cairo_arc(cr, x, y, r, 0, 2 * G_PI);
  cairo_fill_preserve(cr);
  cairo_set_source_rgba(cr, 0, 0, 0, 0.55);
  cairo_set_line_width(cr, 1.5 * scale);
  cairo_stroke(cr);
  for (int side = -1; side <= 1; side += 2) {
    cairo_move_to(cr, x + side * r * 0.62, y);
    cairo_rel_line_to(cr, -side * r * 0.34, -r * 0.36);
    cairo_rel_line_to(cr, 0, r * 0.72);
    cairo_close_path(cr);
  }
  cairo_set_source_rgb(cr, 0.2, 0.2, 0.2);
  cairo_fill(cr);
}

/* Draws side A in the left @width device pixels. */
static void
draw_before(MsImageView *self, cairo_t *cr, double width, double height)
{
  g_autofree char *a = caption_a(self);

  cairo_save(cr);
  cairo_rectangle(cr, 0, 0, width, height);
  cairo_clip(cr);
  draw_slot(self, cr, &self->a, 1);
  draw_grid(self, cr);
  draw_caption(self, cr, a, 0, FALSE);
  cairo_restore(cr);
}

static void
draw_split(MsImageView *self, cairo_t *cr, double width, double height)
{
  g_autofree char *b = caption_b(self);
  double x = round(self->divider * width);

  draw_before(self, cr, x, height);
  cairo_save(cr);
  cairo_rectangle(cr, x, 0, width - x, height);
  cairo_clip(cr);
  draw_filtered(self, cr);
  draw_grid(self, cr);
  draw_caption(self, cr, b, width, TRUE);
  cairo_restore(cr);
  draw_divider(self, cr, x, height);
}

static void
draw_side_by_side(MsImageView *self, cairo_t *cr, double width, double height)
{
  g_autofree char *b = caption_b(self);
  double pane = ms_image_view_pane_width(self);

  draw_before(self, cr, pane, height);
  cairo_save(cr);
  cairo_translate(cr, width - pane, 0);
  cairo_rectangle(cr, 0, 0, pane, height);
  cairo_clip(cr);
  draw_filtered(self, cr);
  draw_grid(self, cr);
  draw_caption(self, cr, b, 0, FALSE);
  cairo_restore(cr);
}

static void
draw_difference(MsImageView *self, cairo_t *cr)
{
  g_autofree char *a = caption_a(self), *b = caption_b(self);
  g_autofree char *caption = NULL;

  if (!self->difference.picture) {
    draw_slot(self, cr, &self->a, 1);
    draw_caption(self, cr, _("No difference to show yet"), 0, FALSE);
    return;
  }
  draw_slot(self, cr, &self->difference, self->gain);
  draw_grid(self, cr);
  caption = g_strdup_printf("%s − %s, × %d", a, b, self->gain);
  draw_caption(self, cr, caption, 0, FALSE);
}

/* Where the mode says what is shown, only what is not the newest picture of the current settings has a caption. */
static void
draw_warning(MsImageView *self, cairo_t *cr)
{
  g_autofree char *b = caption_b(self);

  if (strcmp(b, _("Filtered")) != 0)
    draw_caption(self, cr, b, 0, FALSE);
}

/* Until the regions are painted, the filtered picture is shown. */
static void
draw_regions(MsImageView *self, cairo_t *cr)
{
  g_autofree char *b = caption_b(self);
  g_autofree char *caption = ms_image_view_caption_regions(self);

  if (self->regions.picture) {
    draw_slot(self, cr, &self->regions, 1);
    ms_image_view_draw_selected_region(self, cr);
  } else {
    draw_filtered(self, cr);
  }
  draw_grid(self, cr);
  draw_caption(self, cr, strcmp(b, _("Filtered")) == 0 ? caption : b, 0, FALSE);
}

/** ms_image_view_draw: draws the current mode; @cr is in the widget's units. */
void
ms_image_view_draw(MsImageView *self, cairo_t *cr)
{
  double scale = gtk_widget_get_scale_factor(GTK_WIDGET(self));
  double width = gtk_widget_get_allocated_width(GTK_WIDGET(self)) * scale;
  double height = gtk_widget_get_allocated_height(GTK_WIDGET(self)) * scale;

  cairo_scale(cr, 1 / scale, 1 / scale);
  switch (ms_image_view_effective_mode(self)) {
  case MS_VIEW_SPLIT:
    draw_split(self, cr, width, height);
    break;
  case MS_VIEW_SIDE_BY_SIDE:
    draw_side_by_side(self, cr, width, height);
    break;
  case MS_VIEW_DIFFERENCE:
    draw_difference(self, cr);
    break;
  case MS_VIEW_REGIONS:
    draw_regions(self, cr);
    break;
  case MS_VIEW_FILTERED:
    draw_filtered(self, cr);
    draw_grid(self, cr);
    draw_warning(self, cr);
    break;
  case MS_VIEW_ORIGINAL:
    draw_slot(self, cr, &self->a, 1);
    draw_grid(self, cr);
    break;
  case MS_N_VIEW_MODES:
    g_assert_not_reached();
  }
}
