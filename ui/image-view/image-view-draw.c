/* SPDX-License-Identifier: MIT */
/* How an image view draws its pictures, and the regions, which it paints on another thread. */
#include "ui/image-view/image-view-private.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

/* One picture */

/* Pixels around the visible part that are extracted as well, so that a short pan needs no new extraction. */
#define MARGIN 64

/* Side of one square of the chequerboard behind transparent pictures, in device pixels. */
#define CHEQUER 8

static void
surface_clear(MsViewSlot *slot)
{
  g_clear_pointer(&slot->surface, cairo_surface_destroy);
}

/** ms_image_view_draw_anew: extracts all pictures again. */
void
ms_image_view_draw_anew(MsImageView *self)
{
  surface_clear(&self->original);
  surface_clear(&self->a);
  surface_clear(&self->b);
  surface_clear(&self->difference);
  surface_clear(&self->regions);
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

static void
on_prepared(MsPicture *picture, GtkWidget *view)
{
  ms_image_view_draw_anew(MS_IMAGE_VIEW(view));
}

void
ms_view_slot_clear(MsViewSlot *self)
{
  surface_clear(self);
  if (self->picture)
    g_signal_handlers_disconnect_matched(self->picture, G_SIGNAL_MATCH_FUNC, 0, 0, NULL, on_prepared, NULL);
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
  g_signal_connect_object(self->picture, "prepared", G_CALLBACK(on_prepared), view, 0);
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
ready_surface(MsViewSlot *slot, const MsRegion *visible, int level, int gain, const MsColour *colours)
{
  int width = ms_picture_get_width(slot->picture), height = ms_picture_get_height(slot->picture);
  MsRegion needed = at_level(visible, level, 0, width, height);

  if (slot->surface && slot->level == level && slot->gain == gain && slot->colours == colours &&
      contains(&slot->region, &needed))
    return;
  surface_clear(slot);
  slot->level = level;
  slot->gain = gain;
  slot->colours = colours;
  slot->region = at_level(visible, level, MARGIN, width, height);
  slot->surface = ms_picture_extract(slot->picture, level, &slot->region, gain, colours);
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

/* Draws the visible part of a picture, a difference multiplied by @gain. */
static void
draw_slot(MsImageView *self, cairo_t *cr, MsViewSlot *slot, int gain)
{
  MsRegion visible = ms_view_geometry_visible(&self->geometry);

  if (!slot->picture || visible.width <= 0 || visible.height <= 0)
    return;
  MsImage *image = ms_picture_get_image(slot->picture);
  ready_surface(slot, &visible, ms_picture_level_for_zoom(slot->picture, self->geometry.zoom), gain,
                image ? ms_screen_colours_for_image(GTK_WIDGET(self), self->monitor, image) : NULL);
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

/* Draws a finished part of the next result at its place. */
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
  surface = ms_picture_extract(picture, level, &part, 1,
                               ms_screen_colours_for_image(GTK_WIDGET(self), self->monitor, piece->image));
  cairo_save(cr);
  to_picture(cr, &self->geometry);
  cairo_rectangle(cr, piece->region.x, piece->region.y, piece->region.width, piece->region.height);
  cairo_clip(cr);
  cairo_translate(cr, piece->region.x, piece->region.y);
  paint_surface(cr, surface, &part, level, self->geometry.zoom);
  cairo_restore(cr);
  cairo_surface_destroy(surface);
}

/* The regions */

/* The opacity of the mark of the selected region, at its border and inside. */
#define MARK_BORDER 255
#define MARK_INSIDE 110

static MsPictureRegions *
regions_of(MsImageView *self)
{
  return ms_picture_regions_of(self->document);
}

/** ms_image_view_update_regions: requests the regions of the shown run if the mode shows them. */
void
ms_image_view_update_regions(MsImageView *self)
{
  if (self->mode == MS_VIEW_REGIONS && gtk_widget_get_mapped(GTK_WIDGET(self)))
    ms_picture_regions_update(regions_of(self), self->document);
  if (self->mode == MS_VIEW_REGIONS && !self->regions.picture && !self->painting)
    ms_image_view_paint_regions(self);
}

static void
on_painted(GObject *regions, GAsyncResult *result, gpointer data)
{
  g_autoptr(MsImageView) self = data;
  g_autoptr(MsImage) image = ms_picture_regions_paint_finish(MS_PICTURE_REGIONS(regions), result, NULL);

  if (self->painting != g_task_get_cancellable(G_TASK(result)))
    return;
  g_clear_object(&self->painting);
  if (!image)
    return;
  ms_view_slot_show(&self->regions, image, NULL, GTK_WIDGET(self));
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

static void
stop_painting(MsImageView *self)
{
  if (self->painting)
    g_cancellable_cancel(self->painting);
  g_clear_object(&self->painting);
}

/**
 * ms_image_view_paint_regions: paints the known regions on another thread; the previous picture is shown until then.
 */
void
ms_image_view_paint_regions(MsImageView *self)
{
  stop_painting(self);
  if (self->mode != MS_VIEW_REGIONS || !ms_picture_regions_get_table(regions_of(self))) {
    ms_view_slot_clear(&self->regions);
    return;
  }
  self->painting = g_cancellable_new();
  ms_picture_regions_paint_async(regions_of(self), self->region_picture, self->painting, on_painted,
                                 g_object_ref(self));
}

static void
on_found(MsImageView *self)
{
  ms_image_view_paint_regions(self);
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

/* Scrolls to a region that was selected in the table and lies outside the visible part. */
static void
on_selected(MsImageView *self)
{
  const guint32 label = ms_picture_regions_get_selected(regions_of(self));
  const MsSegment *s = label > 0 ? &ms_picture_regions_get_table(regions_of(self))->segments[label - 1] : NULL;
  const MsRegion visible = ms_image_view_get_visible(self);

  if (s && self->mode == MS_VIEW_REGIONS &&
      (s->right < visible.x || s->bottom < visible.y || s->left >= visible.x + visible.width ||
       s->top >= visible.y + visible.height)) {
    ms_view_geometry_pan(&self->geometry, (self->geometry.centre_x - s->x) * self->geometry.zoom,
                         (self->geometry.centre_y - s->y) * self->geometry.zoom);
    ms_image_view_moved(self);
  }
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

static void
on_busy(MsImageView *self)
{
  if (!ms_document_is_busy(self->document))
    ms_image_view_update_regions(self);
}

/** ms_image_view_follow_regions: connects to the regions of the document. */
void
ms_image_view_follow_regions(MsImageView *self)
{
  g_signal_connect_object(regions_of(self), "changed", G_CALLBACK(on_found), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(regions_of(self), "notify::selected", G_CALLBACK(on_selected), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(regions_of(self), "notify::min-pixels", G_CALLBACK(ms_image_view_update_regions), self,
                          G_CONNECT_SWAPPED);
  g_signal_connect_object(self->document, "notify::busy", G_CALLBACK(on_busy), self, G_CONNECT_SWAPPED);
}

/** ms_image_view_leave_regions: disconnects from the regions; called when the view is disposed. */
void
ms_image_view_leave_regions(MsImageView *self)
{
  stop_painting(self);
  ms_view_slot_clear(&self->regions);
}

/** ms_image_view_caption_regions: (transfer full) (nullable): %NULL where the mode shows no regions. */
char *
ms_image_view_caption_regions(MsImageView *self)
{
  const MsSegmentTable *table = ms_picture_regions_get_table(regions_of(self));
  const guint32 label = ms_picture_regions_get_selected(regions_of(self));

  if (self->mode != MS_VIEW_REGIONS)
    return NULL;
  if (ms_picture_result_get_problem(MS_PICTURE_RESULT(regions_of(self))))
    return g_strdup(_("No regions with these settings"));
  if (!table || !self->regions.picture)
    return g_strdup(_("Finding regions…"));
  if (label > 0)
    return g_strdup_printf(_("Region %u of %u"), label, table->n);
  return g_strdup_printf(g_dngettext(GETTEXT_PACKAGE, "%u region", "%u regions", table->n), table->n);
}

static gboolean
is_border(const MsSegmentation *s, int x, int y, int step)
{
  const guint32 *label = s->labels + (gsize)y * s->width + x;

  return x < step || y < step || x + step >= s->width || y + step >= s->height || label[-step] != *label ||
         label[step] != *label || label[-(gssize)step * s->width] != *label || label[(gssize)step * s->width] != *label;
}

/* The selected region within @part of the picture, one byte for @step pixels in each direction. */
static cairo_surface_t *
new_mark(const MsSegmentation *s, guint32 label, const GdkRectangle *part, int step)
{
  const int width = (part->width + step - 1) / step, height = (part->height + step - 1) / step;
  cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_A8, width, height);
  const int stride = cairo_image_surface_get_stride(surface);
  guint8 *bytes = cairo_image_surface_get_data(surface);

  for (int row = 0; row < height; row++)
    for (int column = 0; column < width; column++) {
      const int x = part->x + column * step, y = part->y + row * step;
      if (s->labels[(gsize)y * s->width + x] == label)
        bytes[row * stride + column] = is_border(s, x, y, step) ? MARK_BORDER : MARK_INSIDE;
    }
  cairo_surface_mark_dirty(surface);
  return surface;
}

static void
draw_mark(MsImageView *self, cairo_t *cr, cairo_surface_t *mark, const GdkRectangle *part, int step)
{
  cairo_pattern_t *pattern = cairo_pattern_create_for_surface(mark);
  double x, y;

  cairo_pattern_set_filter(pattern, CAIRO_FILTER_NEAREST);
  ms_view_geometry_get_origin(&self->geometry, &x, &y);
  cairo_save(cr);
  cairo_translate(cr, x, y);
  cairo_scale(cr, self->geometry.zoom, self->geometry.zoom);
  cairo_translate(cr, part->x, part->y);
  cairo_scale(cr, step, step);
  cairo_set_source_rgb(cr, 1, 0.9, 0);
  cairo_mask(cr, pattern);
  cairo_restore(cr);
  cairo_pattern_destroy(pattern);
}

/* Covers the selected region, if any, with a transparent yellow. */
static void
draw_selected_region(MsImageView *self, cairo_t *cr)
{
  const MsSegmentation *s = ms_picture_regions_get_segmentation(regions_of(self));
  const guint32 label = ms_picture_regions_get_selected(regions_of(self));
  const MsRegion visible = ms_image_view_get_visible(self);
  const GdkRectangle shown = {visible.x, visible.y, visible.width, visible.height};
  const int step = MAX(1, (int)(1 / self->geometry.zoom));
  GdkRectangle part;

  if (!s || label == 0)
    return;
  const MsSegment *segment = &ms_picture_regions_get_table(regions_of(self))->segments[label - 1];
  const GdkRectangle whole = {segment->left, segment->top, segment->right - segment->left + 1,
                              segment->bottom - segment->top + 1};
  if (!gdk_rectangle_intersect(&shown, &whole, &part))
    return;
  cairo_surface_t *mark = new_mark(s, label, &part, step);
  draw_mark(self, cr, mark, &part, step);
  cairo_surface_destroy(mark);
}

/** ms_image_view_click: selects the region under a point of the widget where the mode shows regions. */
void
ms_image_view_click(MsImageView *self, double x, double y)
{
  const double scale = ms_image_view_scale(self);
  double column, row;

  if (ms_image_view_effective_mode(self) != MS_VIEW_REGIONS)
    return;
  ms_view_geometry_to_picture(&self->geometry, x * scale, y * scale, &column, &row);
  if (column < 0 || row < 0 || column >= self->geometry.width || row >= self->geometry.height)
    return;
  ms_picture_regions_select_pixel(regions_of(self), (int)column, (int)row);
  g_signal_emit_by_name(self, "region-clicked");
}

/* The modes */

/* Side A is a run, or the original where none is chosen. */
static MsViewSlot *
slot_a(MsImageView *self)
{
  return self->a.picture ? &self->a : &self->original;
}

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

  draw_slot(self, cr, self->b.picture ? &self->b : &self->original, 1);
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
  draw_slot(self, cr, slot_a(self), 1);
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
draw_alone(MsImageView *self, cairo_t *cr)
{
  g_autofree char *b = caption_b(self);

  draw_filtered(self, cr);
  draw_grid(self, cr);
  draw_caption(self, cr, b, 0, FALSE);
}

static void
draw_difference(MsImageView *self, cairo_t *cr)
{
  g_autofree char *a = caption_a(self), *b = caption_b(self);
  g_autofree char *caption = NULL;

  if (!self->difference.picture) {
    draw_slot(self, cr, slot_a(self), 1);
    draw_caption(self, cr, _("No difference to show yet"), 0, FALSE);
    return;
  }
  draw_slot(self, cr, &self->difference, self->gain);
  draw_grid(self, cr);
  caption = g_strdup_printf("%s − %s, × %d", a, b, self->gain);
  draw_caption(self, cr, caption, 0, FALSE);
}

/* Until the regions are painted, the filtered picture is shown. */
static void
draw_regions(MsImageView *self, cairo_t *cr)
{
  g_autofree char *b = caption_b(self);
  g_autofree char *caption = ms_image_view_caption_regions(self);

  if (self->regions.picture) {
    draw_slot(self, cr, &self->regions, 1);
    draw_selected_region(self, cr);
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

  self->monitor = ms_screen_colours_monitor_of(GTK_WIDGET(self));
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
    draw_alone(self, cr);
    break;
  case MS_VIEW_ORIGINAL:
    draw_slot(self, cr, &self->original, 1);
    draw_grid(self, cr);
    draw_caption(self, cr, _("Original"), 0, FALSE);
    break;
  case MS_N_VIEW_MODES:
    g_assert_not_reached();
  }
}
