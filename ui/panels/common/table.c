/* SPDX-License-Identifier: MIT */
#include "ui/panels/common/table.h"

#include <glib/gi18n-lib.h>

#include "core/csv.h"
#include "ui/common/files.h"
#include "ui/panels/common/panel.h"

/** ms_table_add_columns: (array length=n): adds columns at the right. */
void
ms_table_add_columns(GtkTreeView *tree, const MsTableColumn *columns, guint n)
{
  for (guint i = 0; i < n; i++) {
    const MsTableColumn *c = &columns[i];
    const double align = c->is_number ? 1 : 0;
    GtkCellRenderer *cell = g_object_new(GTK_TYPE_CELL_RENDERER_TEXT, "xalign", align, "ellipsize", c->ellipsize,
                                         "width-chars", c->chars > 0 ? c->chars : -1, NULL);
    GtkTreeViewColumn *view = g_object_new(GTK_TYPE_TREE_VIEW_COLUMN, "title", _(c->title), "alignment", align,
                                           "resizable", TRUE, "expand", c->expands, NULL);

    if (c->width > 0)
      g_object_set(view, "sizing", GTK_TREE_VIEW_COLUMN_FIXED, "fixed-width", c->width, NULL);
    if (c->sort > 0)
      gtk_tree_view_column_set_sort_column_id(view, c->sort);
    gtk_tree_view_column_pack_start(view, cell, TRUE);
    if (c->text >= 0)
      gtk_tree_view_column_add_attribute(view, cell, "text", c->text);
    gtk_tree_view_append_column(tree, view);
  }
}

/** ms_table_get_cell: (transfer none): the first renderer of a column. */
GtkCellRenderer *
ms_table_get_cell(GtkTreeViewColumn *column)
{
  g_autoptr(GList) cells = gtk_cell_layout_get_cells(GTK_CELL_LAYOUT(column));

  return cells->data;
}

/** ms_table_new_store: (transfer full): a store of @n columns of text. */
GtkListStore *
ms_table_new_store(guint n)
{
  g_autofree GType *types = g_new(GType, n);

  for (guint i = 0; i < n; i++)
    types[i] = G_TYPE_STRING;
  return gtk_list_store_newv((int)n, types);
}

static gboolean
on_query_tooltip(GtkTreeView *tree, int x, int y, gboolean by_keyboard, GtkTooltip *tooltip, gpointer data)
{
  GtkTreeModel *model;
  g_autoptr(GtkTreePath) path = NULL;
  g_autofree char *text = NULL;
  GtkTreeIter iter;

  if (!gtk_tree_view_get_tooltip_context(tree, &x, &y, by_keyboard, &model, &path, &iter))
    return FALSE;
  gtk_tree_model_get(model, &iter, GPOINTER_TO_INT(data), &text, -1);
  if (!text || !*text)
    return FALSE;
  gtk_tooltip_set_text(tooltip, text);
  gtk_tree_view_set_tooltip_row(tree, tooltip, path);
  return TRUE;
}

/** ms_table_tooltip: shows the text of @column as tooltip; unlike tooltip-column it is not parsed as markup. */
void
ms_table_tooltip(GtkTreeView *tree, int column)
{
  g_signal_handlers_disconnect_matched(tree, G_SIGNAL_MATCH_FUNC, 0, 0, NULL, on_query_tooltip, NULL);
  gtk_widget_set_has_tooltip(GTK_WIDGET(tree), TRUE);
  g_signal_connect(tree, "query-tooltip", G_CALLBACK(on_query_tooltip), GINT_TO_POINTER(column));
}

static void
append_cell(GString *text, const char *cell, gboolean first, gboolean csv)
{
  if (csv) {
    ms_csv_append(text, cell);
    return;
  }
  g_string_append_printf(text, "%s%s", first ? "" : "\t", cell ? cell : "");
}

/* The text that the first renderer of the column shows; whether a check mark is set. */
static char *
cell_text(GtkTreeViewColumn *column, GtkTreeModel *model, GtkTreeIter *iter)
{
  GtkCellRenderer *cell = ms_table_get_cell(column);
  char *text = NULL;

  gtk_tree_view_column_cell_set_cell_data(column, model, iter, FALSE, FALSE);
  if (GTK_IS_CELL_RENDERER_TOGGLE(cell))
    return g_strdup(gtk_cell_renderer_toggle_get_active(GTK_CELL_RENDERER_TOGGLE(cell)) ? "yes" : "no");
  g_object_get(cell, "text", &text, NULL);
  return text;
}

/** ms_table_text: (transfer full): the columns of @tree with their titles, as CSV or with tabs. */
char *
ms_table_text(GtkTreeView *tree, gboolean csv)
{
  GtkTreeModel *model = gtk_tree_view_get_model(tree);
  g_autoptr(GList) columns = gtk_tree_view_get_columns(tree);
  g_autoptr(GString) text = g_string_new(NULL);
  GtkTreeIter iter;

  for (GList *l = columns; l; l = l->next)
    append_cell(text, gtk_tree_view_column_get_title(l->data), l == columns, csv);
  g_string_append_c(text, '\n');
  for (gboolean more = gtk_tree_model_get_iter_first(model, &iter); more;
       more = gtk_tree_model_iter_next(model, &iter)) {
    for (GList *l = columns; l; l = l->next) {
      g_autofree char *cell = cell_text(l->data, model, &iter);
      append_cell(text, cell, l == columns, csv);
    }
    g_string_append_c(text, '\n');
  }
  return g_string_free(g_steal_pointer(&text), FALSE);
}

/** ms_table_copy: puts the table on the clipboard; called by the signal of a button. */
void
ms_table_copy(GtkTreeView *tree)
{
  g_autofree char *text = ms_table_text(tree, FALSE);

  gtk_clipboard_set_text(gtk_widget_get_clipboard(GTK_WIDGET(tree), GDK_SELECTION_CLIPBOARD), text, -1);
}

static void
on_file_chosen(GtkWidget *tree, GFile *file)
{
  g_autofree char *path = g_file_get_path(file);
  g_autofree char *text = ms_table_text(GTK_TREE_VIEW(tree), TRUE);
  g_autoptr(GError) error = NULL;

  if (path && !g_file_set_contents(path, text, -1, &error))
    ms_panel_report_problem(MS_PANEL(gtk_widget_get_ancestor(tree, MS_TYPE_PANEL)), error);
}

/** ms_table_export: asks for a CSV file and suggests the name of the widget; called by the signal of a button. */
void
ms_table_export(GtkTreeView *tree)
{
  g_autofree char *name = g_strdup_printf("%s.csv", gtk_widget_get_name(GTK_WIDGET(tree)));
  const MsFileQuestion question = {GTK_FILE_CHOOSER_ACTION_SAVE, _("Export the Table"), _("_Export"), name, FALSE};

  ms_files_choose(GTK_WIDGET(tree), &question, on_file_chosen);
}

static void
add_button(GtkTreeView *tree, GtkContainer *box, const char *icon, const char *name, GCallback clicked)
{
  GtkWidget *button = gtk_button_new_from_icon_name(icon, GTK_ICON_SIZE_BUTTON);

  gtk_widget_set_tooltip_text(button, name);
  atk_object_set_name(gtk_widget_get_accessible(button), name);
  g_signal_connect_object(button, "clicked", clicked, tree, G_CONNECT_SWAPPED);
  gtk_container_add(box, button);
  gtk_widget_show_all(button);
}

/** ms_table_add_buttons: puts the buttons that copy and export @tree into @box. */
void
ms_table_add_buttons(GtkTreeView *tree, GtkContainer *box)
{
  gtk_style_context_add_class(gtk_widget_get_style_context(GTK_WIDGET(box)), GTK_STYLE_CLASS_LINKED);
  add_button(tree, box, "edit-copy-symbolic", _("Copy Table"), G_CALLBACK(ms_table_copy));
  add_button(tree, box, "document-save-as-symbolic", _("Export Table…"), G_CALLBACK(ms_table_export));
}
