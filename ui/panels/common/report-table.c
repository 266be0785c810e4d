/* SPDX-License-Identifier: MIT */
#include "ui/panels/common/report-table.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#include "core/lab/report/report-text.h"
#include "ui/panels/common/panel-style.h"

/* Columns of the store: index in the report, font weight, outcome sign, the cells, and the tooltip. */
enum {
  COLUMN_ROW,
  COLUMN_WEIGHT,
  COLUMN_MARK,
  COLUMN_CELLS,
};

#define MARK_TITLE "✓"
#define NAME_CHARS 27

/* Cells that start with a number are compared as numbers; others follow, compared as text. */
static double
number_of(const char *text)
{
  char *end = NULL;
  double value = g_ascii_strtod(text, &end);

  return end == text ? INFINITY : value;
}

static int
compare_cells(GtkTreeModel *model, GtkTreeIter *a, GtkTreeIter *b, gpointer data)
{
  int column = GPOINTER_TO_INT(data);
  g_autofree char *left = NULL;
  g_autofree char *right = NULL;

  gtk_tree_model_get(model, a, column, &left, -1);
  gtk_tree_model_get(model, b, column, &right, -1);
  double x = number_of(left ? left : ""), y = number_of(right ? right : "");
  if (x == y)
    return g_utf8_collate(left ? left : "", right ? right : "");
  return x < y ? -1 : 1;
}

static const char *
mark_of(MsOutcome outcome)
{
  switch (outcome) {
  case MS_OUTCOME_OK:
    return "✓";
  case MS_OUTCOME_WRONG:
    return _("✗ wrong");
  case MS_OUTCOME_PENDING:
    return "…";
  case MS_OUTCOME_CONSTRAINT:
  case MS_OUTCOME_BUILD:
  case MS_OUTCOME_RUN:
  case MS_OUTCOME_TIMEOUT:
    return "⊘";
  }
  g_return_val_if_reached(NULL);
}

static gboolean
is_numeric(GPtrArray *table, guint column)
{
  for (guint i = 1; i < table->len; i++) {
    GPtrArray *cells = table->pdata[i];
    if (isfinite(number_of(cells->pdata[column])) && column > 0)
      return TRUE;
  }
  return FALSE;
}

/* The name column may be long: it is ellipsized and takes the width that the numbers leave. */
static void
let_names_give_way(GtkTreeViewColumn *view, GtkCellRenderer *cell)
{
  g_object_set(cell, "ellipsize", PANGO_ELLIPSIZE_MIDDLE, "width-chars", NAME_CHARS, NULL);
  gtk_tree_view_column_set_expand(view, TRUE);
}

static void
add_column(GtkTreeView *tree, GPtrArray *table, guint column)
{
  GPtrArray *titles = table->pdata[0];
  gboolean numeric = is_numeric(table, column);
  GtkCellRenderer *cell = gtk_cell_renderer_text_new();
  GtkTreeViewColumn *view = gtk_tree_view_column_new_with_attributes(
    titles->pdata[column], cell, "text", COLUMN_CELLS + column, "weight", COLUMN_WEIGHT, NULL);

  g_object_set(cell, "xalign", numeric ? 1.0 : 0.0, NULL);
  gtk_tree_view_column_set_alignment(view, numeric ? 1.0 : 0.0);
  gtk_tree_view_column_set_resizable(view, TRUE);
  if (column == 0)
    let_names_give_way(view, cell);
  gtk_tree_view_column_set_sort_column_id(view, COLUMN_CELLS + (int)column);
  gtk_tree_view_append_column(tree, view);
}

static void
add_mark_column(GtkTreeView *tree)
{
  GtkTreeViewColumn *view =
    gtk_tree_view_column_new_with_attributes(MARK_TITLE, gtk_cell_renderer_text_new(), "text", COLUMN_MARK, NULL);

  gtk_tree_view_column_set_sort_column_id(view, COLUMN_MARK);
  gtk_tree_view_append_column(tree, view);
}

static gboolean
has_columns(GtkTreeView *tree, GPtrArray *titles)
{
  if (gtk_tree_view_get_n_columns(tree) != titles->len + 1)
    return FALSE;
  for (guint i = 0; i < titles->len; i++)
    if (g_strcmp0(gtk_tree_view_column_get_title(gtk_tree_view_get_column(tree, (int)i + 1)), titles->pdata[i]) != 0)
      return FALSE;
  return TRUE;
}

static void
make_columns(GtkTreeView *tree, GPtrArray *table)
{
  GPtrArray *titles = table->pdata[0];

  if (has_columns(tree, titles))
    return;
  while (gtk_tree_view_get_n_columns(tree) > 0)
    gtk_tree_view_remove_column(tree, gtk_tree_view_get_column(tree, 0));
  add_mark_column(tree);
  for (guint i = 0; i < titles->len; i++)
    add_column(tree, table, i);
  ms_panel_tree_tooltip(tree, COLUMN_CELLS + (int)titles->len);
}

static GtkListStore *
make_store(guint n_cells)
{
  g_autofree GType *types = g_new(GType, COLUMN_CELLS + n_cells + 1);

  types[COLUMN_ROW] = types[COLUMN_WEIGHT] = G_TYPE_INT;
  types[COLUMN_MARK] = types[COLUMN_CELLS + n_cells] = G_TYPE_STRING;
  for (guint i = 0; i < n_cells; i++)
    types[COLUMN_CELLS + i] = G_TYPE_STRING;
  GtkListStore *store = gtk_list_store_newv((int)(COLUMN_CELLS + n_cells + 1), types);
  for (guint i = 0; i < n_cells; i++)
    gtk_tree_sortable_set_sort_func(GTK_TREE_SORTABLE(store), COLUMN_CELLS + (int)i, compare_cells,
                                    GINT_TO_POINTER(COLUMN_CELLS + (int)i), NULL);
  return store;
}

/* The tooltip: the whole name, which may be ellipsized in its cell, and the message of the row. */
static char *
hint_of(GPtrArray *cells)
{
  const char *name = cells->pdata[0], *note = cells->pdata[cells->len - 1];

  return note && *note ? g_strdup_printf("%s\n%s", name, note) : g_strdup(name);
}

static void
append_row(GtkListStore *store, const MsReport *report, guint row, GPtrArray *cells)
{
  const MsReportRow *what = report->rows->pdata[row];
  g_autofree char *hint = hint_of(cells);
  GtkTreeIter iter;

  gtk_list_store_append(store, &iter);
  gtk_list_store_set(store, &iter, COLUMN_ROW, (int)row, COLUMN_WEIGHT,
                     what->baseline ? PANGO_WEIGHT_BOLD : PANGO_WEIGHT_NORMAL, COLUMN_MARK,
                     mark_of(what->measurement->outcome), COLUMN_CELLS + cells->len, hint, -1);
  for (guint i = 0; i < cells->len; i++)
    gtk_list_store_set(store, &iter, COLUMN_CELLS + i, cells->pdata[i], -1);
}

static int
selected_row(GtkTreeView *tree)
{
  GtkTreeModel *model;
  GtkTreeIter iter;
  int row = -1;

  if (gtk_tree_selection_get_selected(gtk_tree_view_get_selection(tree), &model, &iter))
    gtk_tree_model_get(model, &iter, COLUMN_ROW, &row, -1);
  return row;
}

static void
select_row(GtkTreeView *tree, int row)
{
  GtkTreeModel *model = gtk_tree_view_get_model(tree);
  GtkTreeIter iter;

  for (gboolean more = gtk_tree_model_get_iter_first(model, &iter); more;
       more = gtk_tree_model_iter_next(model, &iter)) {
    int here;
    gtk_tree_model_get(model, &iter, COLUMN_ROW, &here, -1);
    if (here == row)
      gtk_tree_selection_select_iter(gtk_tree_view_get_selection(tree), &iter);
  }
}

/** ms_report_table_show: fills @tree with @report; sort order and selection are kept. */
void
ms_report_table_show(GtkTreeView *tree, const MsReport *report)
{
  g_autoptr(GPtrArray) table = ms_report_table(report, MS_LANGUAGE_USER);
  GPtrArray *titles = table->pdata[0];
  g_autoptr(GtkListStore) store = make_store(titles->len);
  GtkTreeModel *old = gtk_tree_view_get_model(tree);
  int selected = old ? selected_row(tree) : -1;
  int sort_column;
  GtkSortType order;

  for (guint i = 1; i < table->len; i++)
    append_row(store, report, i - 1, table->pdata[i]);
  gboolean same = has_columns(tree, titles);
  gboolean sorted = same && old && gtk_tree_sortable_get_sort_column_id(GTK_TREE_SORTABLE(old), &sort_column, &order);
  make_columns(tree, table);
  if (sorted)
    gtk_tree_sortable_set_sort_column_id(GTK_TREE_SORTABLE(store), sort_column, order);
  gtk_tree_view_set_model(tree, GTK_TREE_MODEL(store));
  if (selected >= 0)
    select_row(tree, selected);
}

/** ms_report_table_row_at: the index in the report of the row at @path (nullable: the selected row), or -1 */
int
ms_report_table_row_at(GtkTreeView *tree, GtkTreePath *path)
{
  GtkTreeModel *model = gtk_tree_view_get_model(tree);
  GtkTreeIter iter;
  int row = -1;

  if (!model)
    return -1;
  if (!path)
    return selected_row(tree);
  if (gtk_tree_model_get_iter(model, &iter, path))
    gtk_tree_model_get(model, &iter, COLUMN_ROW, &row, -1);
  return row;
}
