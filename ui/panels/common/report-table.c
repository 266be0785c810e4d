/* SPDX-License-Identifier: MIT */
/* The table of a report: a column for each setting that varies, the time with a bar, and what it is compared with. */
#include "ui/panels/common/report-table.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "core/lab/report/report-column.h"
#include "ui/common/format.h"
#include "ui/panels/common/table.h"

/*
 * Columns of the store: index in the report, font weight, outcome sign, length of the bar, the cells, the tooltip, and
 * the values of the cells.
 */
enum {
  COLUMN_ROW,
  COLUMN_WEIGHT,
  COLUMN_MARK,
  COLUMN_BAR,
  COLUMN_CELLS,
};

/* A column of the window: the setting @key, a column of the report, or, with neither, the spread of the times. */
typedef struct {
  const char *key;
  const MsReportColumn *column;
} Shown;

/* A report as the window shows it. @time: which of the columns has the time */
typedef struct {
  const MsReport *report;
  GArray *columns; /* MsReportColumn */
  GArray *shown;   /* Shown */
  guint time;
} Table;

/* The trials of a search, which has neither cases nor axes, see ms_tune_report_new(). */
static gboolean
is_search(const MsReport *report)
{
  return g_strcmp0(report->experiment->kind, "tuning") == 0;
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

static const Shown *
shown_at(const Table *self, guint index)
{
  return &g_array_index(self->shown, Shown, index);
}

static const char *
title_of(const Shown *shown)
{
  if (shown->key)
    return g_str_equal(shown->key, "case") ? _("case") : shown->key;
  return shown->column ? ms_text(MS_LANGUAGE_USER, shown->column->title) : "± %";
}

/* In percent. */
static double
spread_of(const MsReportRow *row)
{
  const gboolean known = row->measurement->outcome == MS_OUTCOME_OK && row->summary.n > 1;

  return known && isfinite(row->summary.spread) ? row->summary.spread * 100 : NAN;
}

/* (transfer full) */
static char *
text_of(const Shown *shown, const MsReportRow *row)
{
  if (shown->key)
    return ms_experiment_case_title(ms_factors_get_or(row->factors, shown->key, ""));
  if (shown->column)
    return ms_report_column_text(shown->column, row, MS_LANGUAGE_USER);
  return isfinite(spread_of(row)) ? g_strdup_printf("%.1f", spread_of(row)) : g_strdup("");
}

/* By which the rows are sorted: of a setting the number that it begins with; infinite for none. */
static double
value_of(const Shown *shown, const MsReportRow *row)
{
  double value = NAN;

  if (shown->key) {
    const char *setting = ms_factors_get_or(row->factors, shown->key, "");
    char *end = NULL;
    const double number = g_ascii_strtod(setting, &end);
    value = end == setting ? NAN : number;
  } else {
    value = shown->column ? ms_report_column_value(shown->column, row) : spread_of(row);
  }
  return isfinite(value) ? value : INFINITY;
}

static void
append_shown(Table *self, const char *key, const MsReportColumn *column)
{
  const Shown shown = {key, column};

  g_array_append_val(self->shown, shown);
}

static void
show_column(Table *self, MsReportColumnId id)
{
  for (guint i = 0; i < self->columns->len; i++) {
    const MsReportColumn *column = &g_array_index(self->columns, MsReportColumn, i);
    if (column->id == id)
      append_shown(self, NULL, column);
  }
}

static gboolean
is_empty(const Table *self, const Shown *shown)
{
  for (guint i = 0; i < self->report->rows->len; i++) {
    g_autofree char *text = text_of(shown, self->report->rows->pdata[i]);
    if (*text && !g_str_equal(text, MS_NO_NUMBER))
      return FALSE;
  }
  return self->report->rows->len > 0;
}

/*
 * The columns: the settings that vary, or the name of the row, the time with its uncertainty and what compares it, then
 * further metrics, and the result. A search has the time first. Columns in which no row has anything are left out.
 */
static Table *
table_new(const MsReport *report)
{
  g_autoptr(GPtrArray) keys = list_factors(report);
  Table *self = g_new0(Table, 1);

  self->report = report;
  self->columns = ms_report_columns(report, MS_FORMAT_TABLE);
  self->shown = g_array_new(FALSE, FALSE, sizeof(Shown));
  self->time = is_search(report) ? 0 : MAX(keys->len, 1);
  for (guint i = 0; i < keys->len; i++)
    append_shown(self, keys->pdata[i], NULL);
  if (keys->len == 0)
    show_column(self, MS_COLUMN_CONFIGURATION);
  g_autoptr(GArray) settings = g_steal_pointer(&self->shown);
  self->shown = g_array_new(FALSE, FALSE, sizeof(Shown));
  g_array_append_vals(self->shown, settings->data, self->time);
  show_column(self, MS_COLUMN_MEDIAN);
  append_shown(self, NULL, NULL);
  show_column(self, MS_COLUMN_COMPARISON);
  show_column(self, MS_COLUMN_PUBLISHED);
  if (self->time < settings->len)
    g_array_append_vals(self->shown, &g_array_index(settings, Shown, self->time), settings->len - self->time);
  show_column(self, MS_COLUMN_FIRST_RUN);
  show_column(self, MS_COLUMN_METRIC);
  for (guint i = self->shown->len; i-- > self->time + 1;)
    if (is_empty(self, shown_at(self, i)))
      g_array_remove_index(self->shown, i);
  show_column(self, MS_COLUMN_RESULT);
  return self;
}

static void
table_free(Table *self)
{
  g_array_unref(self->columns);
  g_array_unref(self->shown);
  g_free(self);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Table, table_free)

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

/* Rows with a number stand before those with a text alone, which are compared as text. */
static int
compare_cells(GtkTreeModel *model, GtkTreeIter *a, GtkTreeIter *b, gpointer data)
{
  const int text = GPOINTER_TO_INT(data), n = (gtk_tree_model_get_n_columns(model) - COLUMN_CELLS - 1) / 2;
  const int value = text + n + 1;
  g_autofree char *left = NULL, *right = NULL;
  double x, y;

  gtk_tree_model_get(model, a, text, &left, value, &x, -1);
  gtk_tree_model_get(model, b, text, &right, value, &y, -1);
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
is_numeric(const Table *table, guint column)
{
  for (guint i = 0; i < table->report->rows->len; i++)
    if (column > 0 && isfinite(value_of(shown_at(table, column), table->report->rows->pdata[i])))
      return TRUE;
  return FALSE;
}

/* The columns of what was published and of the results, which may be sentences. */
static gboolean
has_sentences(const Shown *shown)
{
  return shown->column && (shown->column->id == MS_COLUMN_PUBLISHED || shown->column->id == MS_COLUMN_RESULT);
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

static void
add_column(GtkTreeView *tree, const Table *table, guint column)
{
  const Shown *shown = shown_at(table, column);
  const gboolean sentences = has_sentences(shown), numeric = !sentences && is_numeric(table, column);
  GtkCellRenderer *cell = gtk_cell_renderer_text_new();
  GtkTreeViewColumn *view = gtk_tree_view_column_new_with_attributes(
    title_of(shown), cell, "text", COLUMN_CELLS + column, "weight", COLUMN_WEIGHT, NULL);

  g_object_set(cell, "xalign", numeric ? 1.0 : 0.0, NULL);
  gtk_tree_view_column_set_alignment(view, numeric ? 1.0 : 0.0);
  gtk_tree_view_column_set_resizable(view, TRUE);
  if (sentences)
    let_sentences_give_way(view, cell);
  if (column == table->time)
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
show_results(GtkTreeView *tree, const Table *table)
{
  const guint last = table->shown->len - 1;
  gboolean more = FALSE;

  for (guint i = 0; i < table->report->rows->len; i++) {
    g_autofree char *text = text_of(shown_at(table, last), table->report->rows->pdata[i]);
    more = more || strcmp(text, _("verified")) != 0;
  }
  gtk_tree_view_column_set_visible(gtk_tree_view_get_column(tree, (int)last + 1), more);
}

static gboolean
has_columns(GtkTreeView *tree, const Table *table)
{
  if (gtk_tree_view_get_n_columns(tree) != table->shown->len + 1)
    return FALSE;
  for (guint i = 0; i < table->shown->len; i++)
    if (g_strcmp0(gtk_tree_view_column_get_title(gtk_tree_view_get_column(tree, (int)i + 1)),
                  title_of(shown_at(table, i))) != 0)
      return FALSE;
  return TRUE;
}

static void
make_columns(GtkTreeView *tree, const Table *table)
{
  if (has_columns(tree, table))
    return;
  while (gtk_tree_view_get_n_columns(tree) > 0)
    gtk_tree_view_remove_column(tree, gtk_tree_view_get_column(tree, 0));
  add_mark_column(tree);
  for (guint i = 0; i < table->shown->len; i++)
    add_column(tree, table, i);
  ms_table_tooltip(tree, COLUMN_CELLS + (int)table->shown->len);
}

static GtkListStore *
make_store(guint n_cells)
{
  const guint n = COLUMN_CELLS + 2 * n_cells + 1;
  g_autofree GType *types = g_new(GType, n);

  types[COLUMN_ROW] = types[COLUMN_WEIGHT] = types[COLUMN_BAR] = G_TYPE_INT;
  types[COLUMN_MARK] = types[COLUMN_CELLS + n_cells] = G_TYPE_STRING;
  for (guint i = 0; i < n_cells; i++) {
    types[COLUMN_CELLS + i] = G_TYPE_STRING;
    types[COLUMN_CELLS + n_cells + 1 + i] = G_TYPE_DOUBLE;
  }
  GtkListStore *store = gtk_list_store_newv((int)n, types);
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
append_row(GtkListStore *store, const Table *table, guint row, double longest)
{
  const MsReportRow *what = table->report->rows->pdata[row];
  const guint n = table->shown->len;
  g_autofree char *result = text_of(shown_at(table, n - 1), what), *hint = hint_of(what, result);
  GtkTreeIter iter;

  gtk_list_store_append(store, &iter);
  gtk_list_store_set(store, &iter, COLUMN_ROW, (int)row, COLUMN_WEIGHT,
                     what->baseline ? PANGO_WEIGHT_BOLD : PANGO_WEIGHT_NORMAL, COLUMN_MARK,
                     mark_of(what->measurement->outcome), COLUMN_BAR, bar_percent(what, longest), COLUMN_CELLS + n,
                     hint, -1);
  for (guint i = 0; i < n; i++) {
    g_autofree char *text = text_of(shown_at(table, i), what);
    gtk_list_store_set(store, &iter, COLUMN_CELLS + i, text, COLUMN_CELLS + n + 1 + i,
                       value_of(shown_at(table, i), what), -1);
  }
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
  g_autoptr(Table) table = table_new(report);
  g_autoptr(GtkListStore) store = make_store(table->shown->len);
  GtkTreeModel *old = gtk_tree_view_get_model(tree);
  int selected = old ? ms_report_table_selected(tree) : -1;
  int sort_column;
  GtkSortType order;

  const double longest = longest_time(report);
  for (guint i = 0; i < report->rows->len; i++)
    append_row(store, table, i, longest);
  gboolean same = has_columns(tree, table);
  gboolean sorted = same && old && gtk_tree_sortable_get_sort_column_id(GTK_TREE_SORTABLE(old), &sort_column, &order);
  make_columns(tree, table);
  show_results(tree, table);
  if (sorted)
    gtk_tree_sortable_set_sort_column_id(GTK_TREE_SORTABLE(store), sort_column, order);
  gtk_tree_view_set_model(tree, GTK_TREE_MODEL(store));
  if (selected >= 0)
    ms_report_table_select(tree, selected);
}
