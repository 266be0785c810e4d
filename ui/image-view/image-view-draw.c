/* SPDX-License-Identifier: MIT */
#include "ui/image-view/image-view-draw.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "ui/document/document-filter.h"
#include "ui/document/document-runs.h"
#include "ui/image-view/image-view-regions.h"
#include "ui/image-view/image-view-slot.h"
#include "ui/image-view/image-view-zoom.h"

/* Zoom from which every pixel gets a frame. */
#define GRID_ZOOM 8.0

/*
 * Side B shows the finished parts of the next result over the newest result; before the first result it shows the
 * original.
 */
static void
draw_filtered(MsImageView *self, cairo_t *cr)
{
  GPtrArray *pieces = ms_document_get_pieces(self->document);

  ms_view_slot_draw(self, cr, self->b.picture ? &self->b : &self->a, 1);
  if (ms_document_get_run_b(self->document))
    return;
  for (guint i = 0; i < pieces->len; i++)
    ms_view_slot_draw_piece(self, cr, g_ptr_array_index(pieces, i));
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
  ms_view_slot_draw(self, cr, &self->a, 1);
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
    ms_view_slot_draw(self, cr, &self->a, 1);
    draw_caption(self, cr, _("No difference to show yet"), 0, FALSE);
    return;
  }
  ms_view_slot_draw(self, cr, &self->difference, self->gain);
  draw_grid(self, cr);
  caption = g_strdup_printf("%s − %s, × %d", a, b, self->gain);
  draw_caption(self, cr, caption, 0, FALSE);
}

/* In modes that show one picture, a caption is drawn only if that is not the result of the current settings. */
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
    ms_view_slot_draw(self, cr, &self->regions, 1);
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
    ms_view_slot_draw(self, cr, &self->a, 1);
    draw_grid(self, cr);
    break;
  case MS_N_VIEW_MODES:
    g_assert_not_reached();
  }
}
