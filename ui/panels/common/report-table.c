/* SPDX-License-Identifier: MIT */
/* The table of a report: a column for each setting that varies, the time with a bar, and what it is compared with. */
#include "ui/panels/common/report-table.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "ui/common/format.h"
#include "ui/panels/common/table.h"

/* Columns of the store: index in the report, font weight, outcome sign, length of the bar, the cells, the tooltip. */
enum {
  COLUMN_ROW,
  COLUMN_WEIGHT,
  COLUMN_MARK,
  COLUMN_BAR,
  COLUMN_CELLS,
};

/* The columns of ms_report_table() that are replaced: by the factors, and by the time with its uncertainty. */
enum {
  TABLE_CONFIGURATION,
  TABLE_MEDIAN,
  TABLE_FIRST_RUN = 5,
};

/* Where the comparison with the baseline stands in ms_report_table(), after the metrics. */
static guint
find_comparison(GPtrArray *titles)
{
  guint column = TABLE_FIRST_RUN;

  while (column + 1 < titles->len && strcmp(titles->pdata[column], _("against the baseline")) != 0)
    column++;
  return column;
}

/* The trials of a search, which has neither cases nor axes, see ms_lab_tune_report(). */
static gboolean
is_search(const MsReport *report)
{
  return g_strcmp0(report->experiment->kind, "tuning") == 0;
}

/* The column of the time: after the settings, but first for a search, which ranks many settings by it. */
static guint
time_column(const MsReport *report, GPtrArray *factors)
{
  return is_search(report) ? 0 : MAX(factors->len, 1);
}

static gboolean
varies(const MsReport *report, const char *key)
{
  const MsReportRow *first = report->rows->pdata[0];

  for (guint i = 1; i < report->rows->len; i++)
    if (g_strcmp0(ms_factors_get(((const MsReportRow *)report->rows->pdata[i])->factors, key),
                  ms_factors_get(first->factors, key)) != 0)
      return TRUE;
  return FALSE;
}

/* The settings whose values differ between rows, but the place that a search gives each row. */
static void
list_varying(const MsReport *report, GPtrArray *keys)
{
  const MsReportRow *first = report->rows->len > 0 ? report->rows->pdata[0] : NULL;

  for (guint i = 0; first && i < ms_factors_size(first->factors); i++) {
    const char *key = ms_factors_key(first->factors, i);
    if (g_strcmp0(key, report->experiment->plot.x) != 0 && varies(report, key))
      g_ptr_array_add(keys, (gpointer)key);
  }
}

/* (transfer container) (element-type utf8): the settings that tell the configurations apart; none for the label */
static GPtrArray *
list_factors(const MsReport *report)
{
  const MsExperiment *experiment = report->experiment;
  GPtrArray *keys = g_ptr_array_new();

  if (is_search(report))
    list_varying(report, keys);
  if (experiment->cases->len > 0)
    g_ptr_array_add(keys, (gpointer) "case");
  for (guint i = 0; i < experiment->axes->len; i++) {
    const MsAxis *axis = experiment->axes->pdata[i];
    if (g_strv_length(axis->values) > 1)
      g_ptr_array_add(keys, axis->key);
  }
  /* Where `auto` chooses another kernel for some combinations, see ms_compare_panel_take(). */
  if (!is_search(report) && experiment->cases->len == 0 && !ms_experiment_find_axis(experiment, "kernel") &&
      report->rows->len > 0 && varies(report, "kernel"))
    g_ptr_array_add(keys, (gpointer) "kernel");
  return keys;
}

/*
 * (transfer full): a row as the window shows it: factors, at @time the time, its uncertainty in percent and what
 * compares it, which stands from @comparison on in @cells, then further metrics, and the result
 */
static GPtrArray *
arrange_row(GPtrArray *cells, GPtrArray *factors, const char *spread, guint time, guint comparison)
{
  GPtrArray *row = g_ptr_array_new_with_free_func(g_free);

  for (guint i = 0; i < factors->len; i++)
    g_ptr_array_add(row, g_strdup(factors->pdata[i]));
  if (factors->len == 0)
    g_ptr_array_add(row, g_strdup(cells->pdata[TABLE_CONFIGURATION]));
  g_ptr_array_insert(row, (int)time, g_strdup(cells->pdata[TABLE_MEDIAN]));
  g_ptr_array_insert(row, (int)time + 1, g_strdup(spread));
  for (guint i = comparison; i + 1 < cells->len; i++)
    g_ptr_array_insert(row, (int)(time + 2 + i - comparison), g_strdup(cells->pdata[i]));
  for (guint i = TABLE_FIRST_RUN; i < comparison; i++)
    g_ptr_array_add(row, g_strdup(cells->pdata[i]));
  g_ptr_array_add(row, g_strdup(cells->pdata[cells->len - 1]));
  return row;
}

/* (transfer full): the values of the settings @keys in @row of the report */
static GPtrArray *
list_values(GPtrArray *keys, const MsReportRow *row)
{
  GPtrArray *values = g_ptr_array_new_with_free_func(g_free);

  for (guint i = 0; i < keys->len; i++)
    g_ptr_array_add(values, ms_experiment_case_title(ms_factors_get_or(row->factors, keys->pdata[i], "")));
  return values;
}

static gboolean
is_empty_column(GPtrArray *table, guint column)
{
  for (guint i = 1; i < table->len; i++) {
    const char *cell = g_ptr_array_index((GPtrArray *)table->pdata[i], column);
    if (*cell && !g_str_equal(cell, MS_NO_NUMBER))
      return FALSE;
  }
  return TRUE;
}

/* Leaves out the columns from @first on in which no row has anything, but the last one. */
static void
drop_empty_columns(GPtrArray *table, guint first)
{
  for (guint column = ((GPtrArray *)table->pdata[0])->len - 1; column-- > first;)
    for (guint i = 0, empty = is_empty_column(table, column); empty && i < table->len; i++)
      g_ptr_array_remove_index(table->pdata[i], column);
}

/* (transfer full) (element-type GPtrArray): titles and cells, with a column for each setting that varies */
static GPtrArray *
arrange_table(const MsReport *report)
{
  g_autoptr(GPtrArray) table = ms_report_table(report, MS_LANGUAGE_USER);
  GPtrArray *arranged = g_ptr_array_new_with_free_func((GDestroyNotify)g_ptr_array_unref);
  g_autoptr(GPtrArray) keys = list_factors(report), titles = g_ptr_array_new();
  const guint time = time_column(report, keys), comparison = find_comparison(table->pdata[0]);

  for (guint i = 0; i < keys->len; i++)
    g_ptr_array_add(titles, g_str_equal(keys->pdata[i], "case") ? (gpointer)_("case") : keys->pdata[i]);
  g_ptr_array_add(arranged, arrange_row(table->pdata[0], titles, "± %", time, comparison));
  for (guint i = 1; i < table->len; i++) {
    const MsReportRow *row = report->rows->pdata[i - 1];
    const gboolean ok =
      row->measurement->outcome == MS_OUTCOME_OK && row->summary.n > 1 && isfinite(row->summary.spread);
    g_autofree char *spread = ok ? g_strdup_printf("%.1f", row->summary.spread * 100) : g_strdup("");
    g_autoptr(GPtrArray) values = list_values(keys, row);
    g_ptr_array_add(arranged, arrange_row(table->pdata[i], values, spread, time, comparison));
  }
  if (table->len > 1)
    drop_empty_columns(arranged, time + 1);
  return arranged;
}

/* The longest time of the report, whose bar fills its cell; 0 where nothing was measured. */
static double
longest_time(const MsReport *report)
{
  double longest = 0;

  for (guint i = 0; i < report->rows->len; i++) {
    const MsReportRow *row = report->rows->pdata[i];
    if (row->measurement->outcome == MS_OUTCOME_OK)
      longest = fmax(longest, row->summary.median);
  }
  return longest;
}

static int
bar_percent(const MsReportRow *row, double longest)
{
  return row->measurement->outcome == MS_OUTCOME_OK && longest > 0 ? (int)ceil(100 * row->summary.median / longest) : 0;
}

#define MARK_TITLE "✓"
#define SENTENCE_CHARS 16
#define BAR_WIDTH 48
#define BAR_HEIGHT 18

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

/* A click on a title sorts by its column, or turns the order around. */
static void
on_title_clicked(GtkTreeViewColumn *view, gpointer column)
{
  GtkTreeView *tree = GTK_TREE_VIEW(gtk_tree_view_column_get_tree_view(view));
  GtkTreeSortable *store = GTK_TREE_SORTABLE(gtk_tree_view_get_model(tree));
  g_autoptr(GList) all = gtk_tree_view_get_columns(tree);
  GtkSortType order;
  int now;

  const gboolean again = gtk_tree_sortable_get_sort_column_id(store, &now, &order) && now == GPOINTER_TO_INT(column);
  order = again && order == GTK_SORT_ASCENDING ? GTK_SORT_DESCENDING : GTK_SORT_ASCENDING;
  gtk_tree_sortable_set_sort_column_id(store, GPOINTER_TO_INT(column), order);
  for (GList *l = all; l; l = l->next)
    gtk_tree_view_column_set_sort_indicator(l->data, l->data == view);
  gtk_tree_view_column_set_sort_order(view, order);
}

/* Lets @view sort; unlike a sort column of GTK's it keeps no place for an arrow while it does not. */
static void
let_sort(GtkTreeViewColumn *view, int column)
{
  gtk_tree_view_column_set_clickable(view, TRUE);
  g_signal_connect(view, "clicked", G_CALLBACK(on_title_clicked), GINT_TO_POINTER(column));
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

/* The columns of what was published and of the results, which may be sentences. */
static gboolean
has_sentences(GPtrArray *titles, guint column)
{
  return column + 1 == titles->len || strcmp(titles->pdata[column], _("published")) == 0;
}

/* A column of sentences takes the width that the others leave, and the tooltip has the whole. */
static void
let_sentences_give_way(GtkTreeViewColumn *view, GtkCellRenderer *cell)
{
  g_object_set(cell, "ellipsize", PANGO_ELLIPSIZE_END, "width-chars", SENTENCE_CHARS, NULL);
  gtk_tree_view_column_set_expand(view, TRUE);
}

/* A bar beside the number, as long as the time is in proportion to the longest. */
static void
add_bar(GtkTreeViewColumn *view)
{
  GtkCellRenderer *bar = g_object_new(GTK_TYPE_CELL_RENDERER_PROGRESS, "text", "", "ypad", 3, NULL);

  gtk_cell_renderer_set_fixed_size(bar, BAR_WIDTH, BAR_HEIGHT);
  gtk_tree_view_column_set_spacing(view, 6);
  gtk_tree_view_column_pack_end(view, bar, FALSE);
  gtk_tree_view_column_add_attribute(view, bar, "value", COLUMN_BAR);
  gtk_tree_view_column_add_attribute(view, bar, "visible", COLUMN_BAR);
}

/* @time: which column has the time */
static void
add_column(GtkTreeView *tree, GPtrArray *table, guint column, guint time)
{
  GPtrArray *titles = table->pdata[0];
  const gboolean sentences = has_sentences(titles, column), numeric = !sentences && is_numeric(table, column);
  GtkCellRenderer *cell = gtk_cell_renderer_text_new();
  GtkTreeViewColumn *view = gtk_tree_view_column_new_with_attributes(
    titles->pdata[column], cell, "text", COLUMN_CELLS + column, "weight", COLUMN_WEIGHT, NULL);

  g_object_set(cell, "xalign", numeric ? 1.0 : 0.0, NULL);
  gtk_tree_view_column_set_alignment(view, numeric ? 1.0 : 0.0);
  gtk_tree_view_column_set_resizable(view, TRUE);
  if (sentences)
    let_sentences_give_way(view, cell);
  if (column == time)
    add_bar(view);
  let_sort(view, COLUMN_CELLS + (int)column);
  gtk_tree_view_append_column(tree, view);
}

static void
add_mark_column(GtkTreeView *tree)
{
  GtkTreeViewColumn *view =
    gtk_tree_view_column_new_with_attributes(MARK_TITLE, gtk_cell_renderer_text_new(), "text", COLUMN_MARK, NULL);

  let_sort(view, COLUMN_MARK);
  gtk_tree_view_append_column(tree, view);
}

/* The results are left out where they only repeat the check marks. */
static void
show_results(GtkTreeView *tree, GPtrArray *table)
{
  const guint last = ((GPtrArray *)table->pdata[0])->len - 1;
  gboolean more = FALSE;

  for (guint i = 1; i < table->len; i++)
    more = more || strcmp(g_ptr_array_index((GPtrArray *)table->pdata[i], last), _("verified")) != 0;
  gtk_tree_view_column_set_visible(gtk_tree_view_get_column(tree, (int)last + 1), more);
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
make_columns(GtkTreeView *tree, GPtrArray *table, guint time)
{
  GPtrArray *titles = table->pdata[0];

  if (has_columns(tree, titles))
    return;
  while (gtk_tree_view_get_n_columns(tree) > 0)
    gtk_tree_view_remove_column(tree, gtk_tree_view_get_column(tree, 0));
  add_mark_column(tree);
  for (guint i = 0; i < titles->len; i++)
    add_column(tree, table, i, time);
  ms_table_tooltip(tree, COLUMN_CELLS + (int)titles->len);
}

static GtkListStore *
make_store(guint n_cells)
{
  g_autofree GType *types = g_new(GType, COLUMN_CELLS + n_cells + 1);

  types[COLUMN_ROW] = types[COLUMN_WEIGHT] = types[COLUMN_BAR] = G_TYPE_INT;
  types[COLUMN_MARK] = types[COLUMN_CELLS + n_cells] = G_TYPE_STRING;
  for (guint i = 0; i < n_cells; i++)
    types[COLUMN_CELLS + i] = G_TYPE_STRING;
  GtkListStore *store = gtk_list_store_newv((int)(COLUMN_CELLS + n_cells + 1), types);
  for (guint i = 0; i < n_cells; i++)
    gtk_tree_sortable_set_sort_func(GTK_TREE_SORTABLE(store), COLUMN_CELLS + (int)i, compare_cells,
                                    GINT_TO_POINTER(COLUMN_CELLS + (int)i), NULL);
  return store;
}

/* The tooltip: the name of the row, how often and how evenly it was measured, what was published, and its message. */
static char *
hint_of(const MsReportRow *row, const char *note)
{
  g_autofree char *published = ms_report_published_text(row);
  g_autofree char *least = ms_format_ns(row->summary.minimum), *quartiles = ms_format_ns(row->summary.iqr);
  g_autofree char *samples = row->summary.n > 1 ? g_strdup_printf(_("\n%u samples, least %s, interquartile range %s"),
                                                                  row->summary.n, least, quartiles)
                                                : g_strdup("");

  return g_strdup_printf("%s%s%s%s%s%s", row->label, samples, *published ? "\n" : "", published,
                         note && *note ? "\n" : "", note ? note : "");
}

static void
append_row(GtkListStore *store, const MsReport *report, guint row, double longest, GPtrArray *cells)
{
  const MsReportRow *what = report->rows->pdata[row];
  g_autofree char *hint = hint_of(what, cells->pdata[cells->len - 1]);
  GtkTreeIter iter;

  gtk_list_store_append(store, &iter);
  gtk_list_store_set(store, &iter, COLUMN_ROW, (int)row, COLUMN_WEIGHT,
                     what->baseline ? PANGO_WEIGHT_BOLD : PANGO_WEIGHT_NORMAL, COLUMN_MARK,
                     mark_of(what->measurement->outcome), COLUMN_BAR, bar_percent(what, longest),
                     COLUMN_CELLS + cells->len, hint, -1);
  for (guint i = 0; i < cells->len; i++)
    gtk_list_store_set(store, &iter, COLUMN_CELLS + i, cells->pdata[i], -1);
}

/** ms_report_table_row_at: the index in the report of a row of the table */
int
ms_report_table_row_at(GtkTreeModel *model, GtkTreeIter *iter)
{
  int row;

  gtk_tree_model_get(model, iter, COLUMN_ROW, &row, -1);
  return row;
}

/** ms_report_table_selected: the index in the report of the selected row, or -1 */
int
ms_report_table_selected(GtkTreeView *tree)
{
  GtkTreeModel *model;
  GtkTreeIter iter;

  return gtk_tree_selection_get_selected(gtk_tree_view_get_selection(tree), &model, &iter)
           ? ms_report_table_row_at(model, &iter)
           : -1;
}

/** ms_report_table_select: selects the row of that index in the report */
void
ms_report_table_select(GtkTreeView *tree, int row)
{
  GtkTreeModel *model = gtk_tree_view_get_model(tree);
  GtkTreeIter iter;

  for (gboolean more = gtk_tree_model_get_iter_first(model, &iter); more; more = gtk_tree_model_iter_next(model, &iter))
    if (ms_report_table_row_at(model, &iter) == row)
      gtk_tree_selection_select_iter(gtk_tree_view_get_selection(tree), &iter);
}

/** ms_report_table_show: fills @tree with @report; sort order and selection are kept. */
void
ms_report_table_show(GtkTreeView *tree, const MsReport *report)
{
  g_autoptr(GPtrArray) table = arrange_table(report), factors = list_factors(report);
  GPtrArray *titles = table->pdata[0];
  g_autoptr(GtkListStore) store = make_store(titles->len);
  GtkTreeModel *old = gtk_tree_view_get_model(tree);
  int selected = old ? ms_report_table_selected(tree) : -1;
  int sort_column;
  GtkSortType order;

  const double longest = longest_time(report);
  for (guint i = 1; i < table->len; i++)
    append_row(store, report, i - 1, longest, table->pdata[i]);
  gboolean same = has_columns(tree, titles);
  gboolean sorted = same && old && gtk_tree_sortable_get_sort_column_id(GTK_TREE_SORTABLE(old), &sort_column, &order);
  make_columns(tree, table, time_column(report, factors));
  show_results(tree, table);
  if (sorted)
    gtk_tree_sortable_set_sort_column_id(GTK_TREE_SORTABLE(store), sort_column, order);
  gtk_tree_view_set_model(tree, GTK_TREE_MODEL(store));
  if (selected >= 0)
    ms_report_table_select(tree, selected);
}
