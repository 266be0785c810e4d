/* SPDX-License-Identifier: MIT */
#include "ui/panels/regions/regions-panel.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#include "ui/common/files.h"
#include "ui/common/format.h"
#include "ui/document/document.h"
#include "ui/document/picture-regions.h"
#include "ui/common/template.h"
#include "ui/panels/common/table.h"

struct _MsRegionsPanel {
  MsPanel parent_instance;
  GtkListStore *store; /* one row for each label, in order; the cells read the table of @regions */
  GtkTreeView *tree;
  GtkTreeSelection *selection;
  GtkAdjustment *slider_adjustment;
  GtkSpinButton *min_pixels;
  GtkSpinButton *range;
  GtkWidget *save;
  GtkContainer *table_buttons;
  GtkLabel *count;
  gboolean selecting; /* the selection of the rows is set from that of the regions */
};

G_DEFINE_FINAL_TYPE(MsRegionsPanel, ms_regions_panel, MS_TYPE_PANEL)

/* The table */

static const MsTableColumn columns[] = {
  {N_("Region"), -1, .is_number = TRUE, .width = 63, .chars = 7},
  {N_("Pixels"), -1, .is_number = TRUE, .width = 77, .chars = 9},
  {N_("Columns"), -1, .is_number = TRUE, .width = 84, .chars = 10},
  {N_("Rows"), -1, .is_number = TRUE, .width = 84, .chars = 10},
  {N_("Centroid"), -1, .is_number = TRUE, .width = 104, .chars = 14},
  {N_("Mean RGB"), -1, .is_number = TRUE, .width = 140, .chars = 18},
  {N_("Deviation RGB"), -1, .is_number = TRUE, .width = 140, .chars = 18},
  {N_("Neighbours"), -1, .is_number = TRUE, .width = 96, .chars = 10},
  {N_("Perimeter"), -1, .is_number = TRUE, .width = 84, .chars = 10},
};

/* (transfer full): the cell of a column */
static char *
cell_text(int column, guint32 label, const MsSegment *s)
{
  switch (column) {
  case 0:
    return g_strdup_printf("%u", label);
  case 1:
    return ms_format_count(s->pixels);
  case 2:
    return g_strdup_printf("%d–%d", s->left, s->right);
  case 3:
    return g_strdup_printf("%d–%d", s->top, s->bottom);
  case 4:
    return g_strdup_printf("%.1f, %.1f", s->x, s->y);
  case 5:
    return g_strdup_printf("%.1f, %.1f, %.1f", s->mean[0], s->mean[1], s->mean[2]);
  case 6:
    return g_strdup_printf("%.1f, %.1f, %.1f", s->deviation[0], s->deviation[1], s->deviation[2]);
  case 7:
    return g_strdup_printf("%u", s->n_neighbours);
  case 8:
    return ms_format_count(s->perimeter);
  }
  g_return_val_if_reached(NULL);
}

/* (nullable) */
static MsPictureRegions *
get_regions(MsRegionsPanel *self)
{
  MsDocument *document = ms_panel_get_document(MS_PANEL(self));

  return document ? ms_picture_regions_of(document) : NULL;
}

static const MsSegmentTable *
get_table(MsRegionsPanel *self)
{
  MsPictureRegions *regions = get_regions(self);

  return regions ? ms_picture_regions_get_table(regions) : NULL;
}

#define NUMBER_KEY "ms-number"

static void
show_cell(GtkTreeViewColumn *column, GtkCellRenderer *cell, GtkTreeModel *model, GtkTreeIter *iter, gpointer data)
{
  MsRegionsPanel *self = data;
  const MsSegmentTable *table = get_table(self);
  g_autofree char *text = NULL;
  guint label;

  gtk_tree_model_get(model, iter, 0, &label, -1);
  if (table && label <= table->n)
    text =
      cell_text(GPOINTER_TO_INT(g_object_get_data(G_OBJECT(column), NUMBER_KEY)), label, &table->segments[label - 1]);
  g_object_set(cell, "text", text ? text : "", NULL);
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
  MsPictureRegions *regions = get_regions(self);
  const guint32 label = regions ? ms_picture_regions_get_selected(regions) : 0;
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
  MsPictureRegions *regions = get_regions(self);
  GtkTreeModel *model;
  GtkTreeIter iter;
  guint label;

  if (self->selecting || !regions || !gtk_tree_selection_get_selected(self->selection, &model, &iter))
    return;
  gtk_tree_model_get(model, &iter, 0, &label, -1);
  ms_picture_regions_select(regions, label);
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
  MsPictureRegions *regions = get_regions(self);
  const MsSegmentTable *table = get_table(self);
  const char *problem = regions ? ms_picture_result_get_problem(MS_PICTURE_RESULT(regions)) : NULL;
  g_autofree char *text = table ? count_text(table) : NULL;
  const MsWaiting waiting =
    ms_panel_get_waiting(MS_PANEL(self), regions && ms_picture_result_is_busy(MS_PICTURE_RESULT(regions)));

  gtk_label_set_text(self->count, problem ? problem : text ? text : ms_waiting_text(&waiting));
  gtk_widget_set_sensitive(self->save, table != NULL);
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
  if (document)
    ms_picture_regions_update(get_regions(self), document);
  show_regions(self);
}

/* Saving */

static const struct {
  const char *name; /* of the item in regions-panel.ui */
  MsRegionFile kind;
  const char *file;
} files[] = {
  {"means", MS_REGION_FILE_MEANS, "regions.png"},  {"outlines", MS_REGION_FILE_OUTLINES, "outlines.png"},
  {"labels", MS_REGION_FILE_LABELS, "labels.npy"}, {"csv", MS_REGION_FILE_CSV, "regions.csv"},
  {"json", MS_REGION_FILE_JSON, "regions.json"},
};

/* What the dialog asks about: the kind of file, and the regions, since another picture may come to the front. */
#define KIND_KEY "ms-region-file"
#define REGIONS_KEY "ms-regions"

/* A file that is being written, of the regions of a picture that may be behind others by then. */
typedef struct {
  GtkWidget *panel;
  GFile *file;
  GListStore *saving; /* of the window */
} Save;

static void
on_saved(GObject *source, GAsyncResult *result, gpointer data)
{
  g_autofree Save *save = data;
  g_autoptr(GtkWidget) panel = save->panel;
  g_autoptr(GFile) file = save->file;
  g_autoptr(GListStore) saving = save->saving;
  GtkWidget *window = gtk_widget_get_toplevel(panel);
  g_autofree char *losses = NULL;
  g_autoptr(GError) error = NULL;

  if (!ms_picture_regions_save_finish(MS_PICTURE_REGIONS(source), result, &losses, &error))
    ms_panel_report_problem(MS_PANEL(panel), error);
  else if (G_IS_ACTION_GROUP(window))
    g_action_group_activate_action(G_ACTION_GROUP(window), "announce-file",
                                   g_variant_new("(^ays)", g_file_peek_path(file), losses ? losses : ""));
  ms_files_end_saving(saving, file);
}

static void
on_file_chosen(GtkWidget *panel, GFile *file)
{
  MsPictureRegions *regions = g_object_get_data(G_OBJECT(panel), REGIONS_KEY);
  const MsRegionFile kind = (MsRegionFile)GPOINTER_TO_INT(g_object_get_data(G_OBJECT(panel), KIND_KEY));

  if (!g_file_peek_path(file) || !ms_picture_regions_get_table(regions))
    return;
  Save *save = g_new(Save, 1);
  *save = (Save){g_object_ref(panel), g_object_ref(file), g_object_ref(ms_files_saving(panel))};
  g_list_store_append(save->saving, file);
  ms_picture_regions_save_async(regions, kind, g_file_peek_path(file), on_saved, save);
}

static void
on_save_clicked(MsRegionsPanel *self, GtkWidget *item)
{
  gtk_popover_popdown(gtk_menu_button_get_popover(GTK_MENU_BUTTON(self->save)));
  for (guint i = 0; i < G_N_ELEMENTS(files); i++) {
    const MsFileQuestion question = {GTK_FILE_CHOOSER_ACTION_SAVE, _("Save Regions"), _("_Save"), files[i].file, FALSE};
    if (!g_str_equal(gtk_widget_get_name(item), files[i].name))
      continue;
    g_object_set_data(G_OBJECT(self), KIND_KEY, GINT_TO_POINTER(files[i].kind));
    g_object_set_data_full(G_OBJECT(self), REGIONS_KEY, g_object_ref(get_regions(self)), g_object_unref);
    ms_files_choose(GTK_WIDGET(self), &question, on_file_chosen);
  }
}

/* Following the document */

static void
set_range(MsRegionsPanel *self)
{
  MsPictureRegions *regions = get_regions(self);

  if (regions)
    g_object_set(regions, "range", gtk_spin_button_get_value(self->range), NULL);
}

static void
set_min_pixels(MsRegionsPanel *self)
{
  MsPictureRegions *regions = get_regions(self);

  if (regions)
    g_object_set(regions, "min-pixels", (guint)gtk_spin_button_get_value_as_int(self->min_pixels), NULL);
}

/* Repeats a request that a run of the filter has cancelled. */
static void
on_busy(MsRegionsPanel *self, GParamSpec *pspec, MsDocument *document)
{
  if (ms_document_is_busy(document))
    show_regions(self);
  else
    ms_panel_invalidate(MS_PANEL(self));
}

static void
ms_regions_panel_attach(MsPanel *panel, MsDocument *document)
{
  MsRegionsPanel *self = MS_REGIONS_PANEL(panel);
  MsPictureRegions *regions = get_regions(self);

  set_min_pixels(self);
  set_range(self);
  ms_panel_connect(panel, regions, "changed", G_CALLBACK(show_regions));
  ms_panel_connect(panel, regions, "notify::selected", G_CALLBACK(show_selected));
  ms_panel_connect(panel, regions, "notify::min-pixels", G_CALLBACK(ms_panel_invalidate));
  ms_panel_connect(panel, regions, "notify::range", G_CALLBACK(ms_panel_invalidate));
  ms_panel_connect(panel, document, "notify::busy", G_CALLBACK(on_busy));
  ms_panel_connect(panel, ms_document_get_engine(document), "holders-changed", G_CALLBACK(show_regions));
  show_regions(self);
}

#define CHILD(name) MS_TEMPLATE_CHILD(MsRegionsPanel, name)
#define CALLBACK(name) MS_TEMPLATE_CALLBACK(name)

static void
ms_regions_panel_class_init(MsRegionsPanelClass *klass)
{
  static const char *const follows[] = {"notify::shown-run", NULL};
  static const MsTemplatePart parts[] = {CHILD(store),
                                         CHILD(tree),
                                         CHILD(selection),
                                         CHILD(slider_adjustment),
                                         CHILD(min_pixels),
                                         CHILD(range),
                                         CHILD(save),
                                         CHILD(count),
                                         CALLBACK(on_row_selected),
                                         CALLBACK(set_min_pixels),
                                         CALLBACK(set_range),
                                         CHILD(table_buttons),
                                         CALLBACK(on_save_clicked)};

  MS_PANEL_CLASS(klass)->follows = follows;
  MS_PANEL_CLASS(klass)->attach = ms_regions_panel_attach;
  MS_PANEL_CLASS(klass)->refresh = ms_regions_panel_refresh;
  ms_template_bind(klass, "panels/regions/regions-panel.ui", parts, G_N_ELEMENTS(parts));
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
  ms_table_add_columns(self->tree, columns, G_N_ELEMENTS(columns));
  ms_table_add_buttons(self->tree, self->table_buttons);
  for (guint i = 0; i < G_N_ELEMENTS(columns); i++) {
    GtkTreeViewColumn *column = gtk_tree_view_get_column(self->tree, (int)i);
    g_object_set_data(G_OBJECT(column), NUMBER_KEY, GUINT_TO_POINTER(i));
    gtk_tree_view_column_set_cell_data_func(column, ms_table_get_cell(column), show_cell, self, NULL);
  }
  g_object_bind_property_full(gtk_spin_button_get_adjustment(self->min_pixels), "value", self->slider_adjustment,
                              "value", G_BINDING_SYNC_CREATE | G_BINDING_BIDIRECTIONAL, to_slider, from_slider, NULL,
                              NULL);
}
