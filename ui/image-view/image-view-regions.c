/* SPDX-License-Identifier: MIT */
#include "ui/image-view/image-view-regions.h"

#include <glib/gi18n-lib.h>

#include "ui/document/document-filter.h"
#include "ui/document/picture-regions.h"
#include "ui/image-view/image-view-slot.h"
#include "ui/image-view/image-view-private.h"
#include "ui/image-view/image-view-zoom.h"

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
painted_cb(GObject *regions, GAsyncResult *result, gpointer data)
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
  ms_picture_regions_paint_async(regions_of(self), self->region_picture, self->painting, painted_cb,
                                 g_object_ref(self));
}

static void
found_cb(MsImageView *self)
{
  ms_image_view_paint_regions(self);
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

/* Scrolls to a region that was selected in the table and lies outside the visible part. */
static void
selected_cb(MsImageView *self)
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
busy_cb(MsImageView *self)
{
  if (!ms_document_is_busy(self->document))
    ms_image_view_update_regions(self);
}

/** ms_image_view_follow_regions: connects to the regions of the document. */
void
ms_image_view_follow_regions(MsImageView *self)
{
  g_signal_connect_object(regions_of(self), "changed", G_CALLBACK(found_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(regions_of(self), "notify::selected", G_CALLBACK(selected_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(regions_of(self), "notify::min-pixels", G_CALLBACK(ms_image_view_update_regions), self,
                          G_CONNECT_SWAPPED);
  g_signal_connect_object(self->document, "notify::busy", G_CALLBACK(busy_cb), self, G_CONNECT_SWAPPED);
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

/** ms_image_view_draw_selected_region: covers the selected region, if any, with a transparent yellow. */
void
ms_image_view_draw_selected_region(MsImageView *self, cairo_t *cr)
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
