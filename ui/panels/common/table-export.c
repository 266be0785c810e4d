/* SPDX-License-Identifier: MIT */
#include "ui/panels/common/table-export.h"

#include <glib/gi18n-lib.h>

#include "core/csv.h"

/* The user data of the buttons, owned by their box. */
typedef struct {
  MsPanel *panel; /* holds the buttons */
  GtkTreeView *tree;
  char *name;
} TableExport;

static void
table_export_free(gpointer data)
{
  TableExport *self = data;

  g_free(self->name);
  g_free(self);
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
  g_autoptr(GList) cells = gtk_cell_layout_get_cells(GTK_CELL_LAYOUT(column));
  char *text = NULL;

  gtk_tree_view_column_cell_set_cell_data(column, model, iter, FALSE, FALSE);
  if (GTK_IS_CELL_RENDERER_TOGGLE(cells->data))
    return g_strdup(gtk_cell_renderer_toggle_get_active(cells->data) ? "yes" : "no");
  g_object_get(cells->data, "text", &text, NULL);
  return text;
}

/* (transfer full): the visible columns of @tree with their titles, as CSV or with tabs. */
static char *
text_of(GtkTreeView *tree, gboolean csv)
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

static void
on_copy_clicked(GtkWidget *button, TableExport *self)
{
  g_autofree char *text = text_of(self->tree, FALSE);

  gtk_clipboard_set_text(gtk_widget_get_clipboard(button, GDK_SELECTION_CLIPBOARD), text, -1);
}

static void
on_file_chosen(GtkNativeDialog *dialog, int response, GtkWidget *box)
{
  TableExport *self = g_object_get_data(G_OBJECT(box), "ms-table-export");
  g_autofree char *path = gtk_file_chooser_get_filename(GTK_FILE_CHOOSER(dialog));
  g_autofree char *text = text_of(self->tree, TRUE);
  g_autoptr(GError) error = NULL;

  if (response == GTK_RESPONSE_ACCEPT && path && !g_file_set_contents(path, text, -1, &error))
    ms_panel_report_problem(self->panel, error);
  g_object_unref(dialog);
}

static void
on_export_clicked(GtkWidget *button, TableExport *self)
{
  GtkWidget *window = gtk_widget_get_toplevel(button);
  g_autofree char *name = g_strdup_printf("%s.csv", self->name);
  GtkFileChooserNative *dialog =
    gtk_file_chooser_native_new(_("Export the Table"), GTK_IS_WINDOW(window) ? GTK_WINDOW(window) : NULL,
                                GTK_FILE_CHOOSER_ACTION_SAVE, _("_Export"), _("_Cancel"));

  gtk_file_chooser_set_current_name(GTK_FILE_CHOOSER(dialog), name);
  gtk_file_chooser_set_do_overwrite_confirmation(GTK_FILE_CHOOSER(dialog), TRUE);
  gtk_native_dialog_set_modal(GTK_NATIVE_DIALOG(dialog), TRUE);
  g_signal_connect_object(dialog, "response", G_CALLBACK(on_file_chosen), gtk_widget_get_parent(button), 0);
  gtk_native_dialog_show(GTK_NATIVE_DIALOG(dialog));
}

static void
add_button(GtkWidget *box, const char *icon, const char *name, GCallback clicked, TableExport *self)
{
  GtkWidget *button = gtk_button_new_from_icon_name(icon, GTK_ICON_SIZE_BUTTON);

  gtk_widget_set_tooltip_text(button, name);
  atk_object_set_name(gtk_widget_get_accessible(button), name);
  g_signal_connect(button, "clicked", clicked, self);
  gtk_container_add(GTK_CONTAINER(box), button);
}

/**
 * ms_table_export_new:
 * @panel: shows the failure of an export
 * @tree: the table; lives as long as @panel
 * @name: of the suggested file, without extension
 */
GtkWidget *
ms_table_export_new(MsPanel *panel, GtkTreeView *tree, const char *name)
{
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0);
  TableExport *self = g_new0(TableExport, 1);

  *self = (TableExport){panel, tree, g_strdup(name)};
  g_object_set_data_full(G_OBJECT(box), "ms-table-export", self, table_export_free);
  gtk_style_context_add_class(gtk_widget_get_style_context(box), GTK_STYLE_CLASS_LINKED);
  add_button(box, "edit-copy-symbolic", _("Copy Table"), G_CALLBACK(on_copy_clicked), self);
  add_button(box, "document-save-as-symbolic", _("Export Table…"), G_CALLBACK(on_export_clicked), self);
  gtk_widget_show_all(box);
  return box;
}
