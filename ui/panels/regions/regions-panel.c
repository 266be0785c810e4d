/* SPDX-License-Identifier: MIT */
#include "ui/panels/regions/regions-panel.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#include "ui/common/format.h"
#include "ui/document/document-filter.h"
#include "ui/document/picture-regions.h"
#include "ui/panels/common/table-export.h"

struct _MsRegionsPanel {
  MsPanel parent_instance;
  MsPictureRegions *regions; /* (nullable): of the panel's document */
  GtkListStore *store;       /* one row for each label, in order; the cells read the table of @regions */
  GtkTreeView *tree;
  GtkTreeSelection *selection;
  GtkAdjustment *slider_adjustment;
  GtkSpinButton *min_pixels;
  GtkLabel *count;
  GtkWidget *buttons;
  gboolean selecting; /* the selection of the rows is set from that of the regions */
};

G_DEFINE_FINAL_TYPE(MsRegionsPanel, ms_regions_panel, MS_TYPE_PANEL)

/* The columns of the table */

static char *
label_text(guint32 label, const MsSegment *s)
{
  return g_strdup_printf("%u", label);
}

static char *
pixels_text(guint32 label, const MsSegment *s)
{
  return ms_format_count(s->pixels);
}

static char *
columns_text(guint32 label, const MsSegment *s)
{
  return g_strdup_printf("%d–%d", s->left, s->right);
}

static char *
rows_text(guint32 label, const MsSegment *s)
{
  return g_strdup_printf("%d–%d", s->top, s->bottom);
}

static char *
centroid_text(guint32 label, const MsSegment *s)
{
  return g_strdup_printf("%.1f, %.1f", s->x, s->y);
}

static char *
mean_text(guint32 label, const MsSegment *s)
{
  return g_strdup_printf("%.1f, %.1f, %.1f", s->mean[0], s->mean[1], s->mean[2]);
}

static char *
deviation_text(guint32 label, const MsSegment *s)
{
  return g_strdup_printf("%.1f, %.1f, %.1f", s->deviation[0], s->deviation[1], s->deviation[2]);
}

static char *
neighbours_text(guint32 label, const MsSegment *s)
{
  return g_strdup_printf("%u", s->n_neighbours);
}

/* @width: in characters; fixed, because measuring thousands of rows is slow. */
typedef struct {
  const char *title;
  int width;
  char *(*text)(guint32 label, const MsSegment *segment);
} Column;

static const Column columns[] = {
  {N_("Region"), 7, label_text},
  {N_("Pixels"), 9, pixels_text},
  {N_("Columns"), 10, columns_text},
  {N_("Rows"), 10, rows_text},
  {N_("Centroid"), 14, centroid_text},
  {N_("Mean RGB"), 18, mean_text},
  {N_("Deviation RGB"), 18, deviation_text},
  {N_("Neighbours"), 10, neighbours_text},
};

static const MsSegmentTable *
get_table(MsRegionsPanel *self)
{
  return self->regions ? ms_picture_regions_get_table(self->regions) : NULL;
}

static void
show_cell(GtkTreeViewColumn *column, GtkCellRenderer *cell, GtkTreeModel *model, GtkTreeIter *iter, gpointer data)
{
  MsRegionsPanel *self = data;
  const Column *info = g_object_get_data(G_OBJECT(column), "ms-column");
  const MsSegmentTable *table = get_table(self);
  g_autofree char *text = NULL;
  guint label;

  gtk_tree_model_get(model, iter, 0, &label, -1);
  if (table && label <= table->n)
    text = info->text(label, &table->segments[label - 1]);
  g_object_set(cell, "text", text ? text : "", NULL);
}

static void
add_column(MsRegionsPanel *self, const Column *info)
{
  GtkCellRenderer *cell = gtk_cell_renderer_text_new();
  GtkTreeViewColumn *column = gtk_tree_view_column_new_with_attributes(_(info->title), cell, NULL);

  g_object_set(cell, "xalign", 1.0, "width-chars", info->width, NULL);
  g_object_set_data(G_OBJECT(column), "ms-column", (gpointer)info);
  gtk_tree_view_column_set_alignment(column, 1);
  gtk_tree_view_column_set_resizable(column, TRUE);
  gtk_tree_view_column_set_sizing(column, GTK_TREE_VIEW_COLUMN_FIXED);
  gtk_tree_view_column_set_fixed_width(column, 14 + 7 * info->width);
  gtk_tree_view_column_set_cell_data_func(column, cell, show_cell, self, NULL);
  gtk_tree_view_append_column(self->tree, column);
}

/* Showing */

/* Detaches the view while rows are added and removed, because it would handle each of thousands. */
static void
set_rows(MsRegionsPanel *self, guint n)
{
  GtkTreeModel *model = GTK_TREE_MODEL(self->store);
  guint rows = (guint)gtk_tree_model_iter_n_children(model, NULL);
  GtkTreeIter iter;

  if (rows == n)
    return;
  gtk_tree_view_set_model(self->tree, NULL);
  if (n < rows / 2) {
    gtk_list_store_clear(self->store);
    rows = 0;
  }
  for (; rows > n && gtk_tree_model_iter_nth_child(model, &iter, NULL, (int)rows - 1); rows--)
    gtk_list_store_remove(self->store, &iter);
  for (; rows < n; rows++)
    gtk_list_store_insert_with_values(self->store, &iter, -1, 0, rows + 1, -1);
  gtk_tree_view_set_model(self->tree, model);
}

static void
show_selected(MsRegionsPanel *self)
{
  const guint32 label = self->regions ? ms_picture_regions_get_selected(self->regions) : 0;
  g_autoptr(GtkTreePath) path = label > 0 ? gtk_tree_path_new_from_indices((int)label - 1, -1) : NULL;

  if (label > (guint)gtk_tree_model_iter_n_children(GTK_TREE_MODEL(self->store), NULL))
    return;
  self->selecting = TRUE;
  if (!path)
    gtk_tree_selection_unselect_all(self->selection);
  else if (!gtk_tree_selection_path_is_selected(self->selection, path)) {
    gtk_tree_view_set_cursor(self->tree, path, NULL, FALSE);
    gtk_tree_view_scroll_to_cell(self->tree, path, NULL, TRUE, 0.5F, 0);
  }
  self->selecting = FALSE;
}

static void
on_row_selected(MsRegionsPanel *self)
{
  GtkTreeModel *model;
  GtkTreeIter iter;
  guint label;

  if (self->selecting || !self->regions || !gtk_tree_selection_get_selected(self->selection, &model, &iter))
    return;
  gtk_tree_model_get(model, &iter, 0, &label, -1);
  ms_picture_regions_select(self->regions, label);
}

static char *
count_text(const MsSegmentTable *table)
{
  g_autofree char *n = ms_format_count(table->n);

  return g_strdup_printf(g_dngettext(GETTEXT_PACKAGE, "%s region", "%s regions", table->n), n);
}

static void
show_regions(MsRegionsPanel *self)
{
  const MsSegmentTable *table = get_table(self);
  const char *problem = self->regions ? ms_picture_result_get_problem(MS_PICTURE_RESULT(self->regions)) : NULL;
  g_autofree char *text = table ? count_text(table) : NULL;

  gtk_label_set_text(self->count, problem ? problem
                                  : text  ? text
                                          : _("Regions appear here after the picture has been filtered."));
  self->selecting = TRUE;
  set_rows(self, table ? table->n : 0);
  self->selecting = FALSE;
  show_selected(self);
  gtk_widget_queue_draw(GTK_WIDGET(self->tree));
}

static void
ms_regions_panel_refresh(MsPanel *panel)
{
  MsRegionsPanel *self = MS_REGIONS_PANEL(panel);
  MsDocument *document = ms_panel_get_document(panel);

  gtk_widget_set_sensitive(GTK_WIDGET(self->min_pixels), document != NULL);
  if (document && self->regions)
    ms_picture_regions_update(self->regions, document);
  show_regions(self);
}

/* Following the document */

static void
unfollow(MsRegionsPanel *self)
{
  if (self->regions)
    g_signal_handlers_disconnect_by_data(self->regions, self);
  g_clear_object(&self->regions);
}

static void
set_min_pixels(MsRegionsPanel *self)
{
  if (self->regions)
    g_object_set(self->regions, "min-pixels", (guint)gtk_spin_button_get_value_as_int(self->min_pixels), NULL);
}

/* Repeats a request that a run of the filter has cancelled. */
static void
on_busy(MsRegionsPanel *self, GParamSpec *pspec, MsDocument *document)
{
  if (!ms_document_is_busy(document))
    ms_panel_invalidate(MS_PANEL(self));
}

static void
ms_regions_panel_attach(MsPanel *panel, MsDocument *document)
{
  MsRegionsPanel *self = MS_REGIONS_PANEL(panel);

  unfollow(self);
  self->regions = g_object_ref(ms_picture_regions_of(document));
  set_min_pixels(self);
  g_signal_connect_object(self->regions, "changed", G_CALLBACK(show_regions), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(self->regions, "notify::selected", G_CALLBACK(show_selected), self, G_CONNECT_SWAPPED);
  ms_panel_follow(panel, self->regions, "notify::min-pixels");
  ms_panel_follow(panel, document, "notify::current-run");
  ms_panel_follow(panel, document, "notify::run-b");
  g_signal_connect_object(document, "notify::busy", G_CALLBACK(on_busy), self, G_CONNECT_SWAPPED);
  show_regions(self);
}

static void
ms_regions_panel_dispose(GObject *object)
{
  MsRegionsPanel *self = MS_REGIONS_PANEL(object);

  unfollow(self);
  g_clear_object(&self->store);
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
  gtk_widget_class_bind_template_child(widget_class, MsRegionsPanel, tree);
  gtk_widget_class_bind_template_child(widget_class, MsRegionsPanel, selection);
  gtk_widget_class_bind_template_child(widget_class, MsRegionsPanel, slider_adjustment);
  gtk_widget_class_bind_template_child(widget_class, MsRegionsPanel, min_pixels);
  gtk_widget_class_bind_template_child(widget_class, MsRegionsPanel, count);
  gtk_widget_class_bind_template_child(widget_class, MsRegionsPanel, buttons);
  gtk_widget_class_bind_template_callback(widget_class, on_row_selected);
}

static gboolean
to_slider(GBinding *binding, const GValue *from, GValue *to, gpointer data)
{
  g_value_set_double(to, log10(g_value_get_double(from)));
  return TRUE;
}

static gboolean
from_slider(GBinding *binding, const GValue *from, GValue *to, gpointer data)
{
  g_value_set_double(to, rint(pow(10, g_value_get_double(from))));
  return TRUE;
}

static void
ms_regions_panel_init(MsRegionsPanel *self)
{
  gtk_widget_init_template(GTK_WIDGET(self));
  self->store = gtk_list_store_new(1, G_TYPE_UINT);
  for (guint i = 0; i < G_N_ELEMENTS(columns); i++)
    add_column(self, &columns[i]);
  gtk_tree_view_set_model(self->tree, GTK_TREE_MODEL(self->store));
  gtk_container_add(GTK_CONTAINER(self->buttons), ms_table_export_new(MS_PANEL(self), self->tree, "regions"));
  g_object_bind_property_full(gtk_spin_button_get_adjustment(self->min_pixels), "value", self->slider_adjustment,
                              "value", G_BINDING_SYNC_CREATE | G_BINDING_BIDIRECTIONAL, to_slider, from_slider, NULL,
                              NULL);
  g_signal_connect_swapped(self->min_pixels, "value-changed", G_CALLBACK(set_min_pixels), self);
}
