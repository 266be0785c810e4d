/* SPDX-License-Identifier: MIT */
#include "ui/panels/regions/regions-panel.h"

#include <glib/gi18n-lib.h>

#include "ui/common/format.h"
#include "ui/image-view/pixbuf.h"

struct _MsRegionsPanel {
  MsPanel parent_instance;
  MsPictureRegions *regions; /* (nullable): of the panel's document */
  GdkPixbuf *pixbuf;         /* (nullable): what the area shows */
  GtkComboBox *picture;
  GtkSpinButton *min_pixels;
  GtkSpinButton *region;
  GtkLabel *count;
  GtkLabel *row;
  GtkWidget *area;
};

G_DEFINE_FINAL_TYPE(MsRegionsPanel, ms_regions_panel, MS_TYPE_PANEL)

/** ms_regions_panel_get_regions: (transfer none) (nullable): %NULL while no picture is open. */
MsPictureRegions *
ms_regions_panel_get_regions(MsRegionsPanel *self)
{
  return self->regions;
}

/* Where the picture is in the area: as large as it fits, in the middle. */
static double
place_picture(MsRegionsPanel *self, double *x, double *y)
{
  const int width = gtk_widget_get_allocated_width(self->area), height = gtk_widget_get_allocated_height(self->area);
  const int columns = gdk_pixbuf_get_width(self->pixbuf), rows = gdk_pixbuf_get_height(self->pixbuf);
  const double scale = MIN((double)width / columns, (double)height / rows);

  *x = (width - scale * columns) / 2;
  *y = (height - scale * rows) / 2;
  return scale;
}

static gboolean
on_area_draw(MsRegionsPanel *self, cairo_t *cr)
{
  double x, y;

  if (!self->pixbuf)
    return FALSE;
  const double scale = place_picture(self, &x, &y);
  cairo_translate(cr, x, y);
  cairo_scale(cr, scale, scale);
  gdk_cairo_set_source_pixbuf(cr, self->pixbuf, 0, 0);
  cairo_paint(cr);
  return FALSE;
}

/* The region of the pixel under the pointer becomes the one whose row is shown. */
static gboolean
on_area_pressed(MsRegionsPanel *self, GdkEventButton *event)
{
  const MsSegmentation *s = self->regions ? ms_picture_regions_get_segmentation(self->regions) : NULL;
  double x, y;

  if (!s || !self->pixbuf)
    return FALSE;
  const double scale = place_picture(self, &x, &y);
  const int column = (int)((event->x - x) / scale), line = (int)((event->y - y) / scale);
  if (event->x < x || event->y < y || column >= s->width || line >= s->height)
    return FALSE;
  gtk_spin_button_set_value(self->region, s->labels[(gsize)line * s->width + column]);
  return TRUE;
}

static char *
row_text(guint label, const MsSegment *s)
{
  g_autofree char *pixels = ms_format_count(s->pixels);

  return g_strdup_printf(
    _("Region %u: %s pixels, columns %d to %d, rows %d to %d, centroid %.1f, %.1f; mean %.1f, %.1f, "
      "%.1f; deviation %.1f, %.1f, %.1f; %u neighbours"),
    label, pixels, s->left, s->right, s->top, s->bottom, s->x, s->y, s->mean[0], s->mean[1], s->mean[2],
    s->deviation[0], s->deviation[1], s->deviation[2], s->n_neighbours);
}

static void
show_row(MsRegionsPanel *self)
{
  const MsSegmentTable *table = self->regions ? ms_picture_regions_get_table(self->regions) : NULL;
  const guint label = (guint)gtk_spin_button_get_value_as_int(self->region);
  g_autofree char *text = table && label <= table->n ? row_text(label, &table->segments[label - 1]) : NULL;

  gtk_label_set_text(self->row, text ? text : "");
}

static void
show_count(MsRegionsPanel *self)
{
  const MsSegmentTable *table = self->regions ? ms_picture_regions_get_table(self->regions) : NULL;
  const char *problem = self->regions ? ms_picture_result_get_problem(MS_PICTURE_RESULT(self->regions)) : NULL;
  g_autofree char *n = ms_format_count(table ? table->n : 0);
  g_autofree char *text = g_strdup_printf(_("%s regions"), n);

  gtk_label_set_text(self->count, problem ? problem
                                  : table ? text
                                          : _("Regions appear here after the picture has been filtered."));
  gtk_spin_button_set_range(self->region, 1, table ? MAX(table->n, 1) : 1);
  gtk_widget_set_sensitive(GTK_WIDGET(self->region), table != NULL);
}

static void
show_picture(MsRegionsPanel *self)
{
  const int picture = gtk_combo_box_get_active(self->picture);
  g_autoptr(MsImage) image =
    self->regions ? ms_picture_regions_paint(self->regions, (MsRegionPicture)MAX(picture, 0)) : NULL;

  g_clear_object(&self->pixbuf);
  if (image)
    self->pixbuf = ms_pixbuf_from_image(image);
  gtk_widget_queue_draw(self->area);
}

static void
show_regions(MsRegionsPanel *self)
{
  show_count(self);
  show_row(self);
  show_picture(self);
}

static void
ms_regions_panel_refresh(MsPanel *panel)
{
  MsRegionsPanel *self = MS_REGIONS_PANEL(panel);
  MsDocument *document = ms_panel_get_document(panel);

  gtk_widget_set_sensitive(GTK_WIDGET(self->min_pixels), document != NULL);
  if (document && self->regions)
    ms_picture_regions_update(self->regions, document, (guint)gtk_spin_button_get_value_as_int(self->min_pixels));
  else
    show_regions(self);
}

static void
unfollow(MsRegionsPanel *self)
{
  if (self->regions)
    g_signal_handlers_disconnect_by_data(self->regions, self);
  g_clear_object(&self->regions);
}

static void
ms_regions_panel_attach(MsPanel *panel, MsDocument *document)
{
  MsRegionsPanel *self = MS_REGIONS_PANEL(panel);

  unfollow(self);
  self->regions = ms_picture_regions_new();
  g_signal_connect_object(self->regions, "changed", G_CALLBACK(show_regions), self, G_CONNECT_SWAPPED);
  ms_panel_follow(panel, document, "notify::source");
  ms_panel_follow(panel, document, "notify::current-run");
  ms_panel_follow(panel, document, "notify::run-b");
  show_regions(self);
}

static void
ms_regions_panel_dispose(GObject *object)
{
  MsRegionsPanel *self = MS_REGIONS_PANEL(object);

  unfollow(self);
  g_clear_object(&self->pixbuf);
  G_OBJECT_CLASS(ms_regions_panel_parent_class)->dispose(object);
}

static void
ms_regions_panel_class_init(MsRegionsPanelClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);

  G_OBJECT_CLASS(klass)->dispose = ms_regions_panel_dispose;
  MS_PANEL_CLASS(klass)->attach = ms_regions_panel_attach;
  MS_PANEL_CLASS(klass)->refresh = ms_regions_panel_refresh;
  gtk_widget_class_set_template_from_resource(
    widget_class, "/io/github/meanshift_lab/MeanshiftLab/ui/panels/regions/regions-panel.ui");
  gtk_widget_class_bind_template_child(widget_class, MsRegionsPanel, picture);
  gtk_widget_class_bind_template_child(widget_class, MsRegionsPanel, min_pixels);
  gtk_widget_class_bind_template_child(widget_class, MsRegionsPanel, region);
  gtk_widget_class_bind_template_child(widget_class, MsRegionsPanel, count);
  gtk_widget_class_bind_template_child(widget_class, MsRegionsPanel, row);
  gtk_widget_class_bind_template_child(widget_class, MsRegionsPanel, area);
  gtk_widget_class_bind_template_callback(widget_class, on_area_draw);
  gtk_widget_class_bind_template_callback(widget_class, on_area_pressed);
  gtk_widget_class_bind_template_callback(widget_class, show_picture);
  gtk_widget_class_bind_template_callback(widget_class, show_row);
  gtk_widget_class_bind_template_callback_full(widget_class, "ms_panel_invalidate", G_CALLBACK(ms_panel_invalidate));
}

static void
ms_regions_panel_init(MsRegionsPanel *self)
{
  gtk_widget_init_template(GTK_WIDGET(self));
  gtk_widget_add_events(self->area, GDK_BUTTON_PRESS_MASK);
}
