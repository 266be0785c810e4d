/* SPDX-License-Identifier: MIT */
#include "ui/panels/common/report-view.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "core/error.h"
#include "core/lab/report/report-verdict.h"
#include "core/lab/report/report.h"
#include "ui/common/drawn.h"
#include "ui/common/files.h"
#include "ui/common/format.h"
#include "ui/common/template.h"
#include "ui/panels/common/chart-view.h"
#include "ui/panels/common/table.h"

struct _MsReportView {
  GtkBin parent_instance;
  GtkStack *stack;
  GtkLabel *verdict;
  GtkLabel *footer;
  GtkOrientable *paned;
  GtkTreeView *tree;
  MsChartView *chart;
  MsReport *report; /* (nullable) */
  MsChart *own;     /* (nullable): is shown in place of the report's chart */
};

G_DEFINE_FINAL_TYPE(MsReportView, ms_report_view, GTK_TYPE_BIN)

enum {
  SIGNAL_ROW_CHOSEN,
  SIGNAL_PROBLEM,
  N_SIGNALS,
};

static guint signals[N_SIGNALS];

/* The table */

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
  TABLE_REST = 5,
};

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
  return keys;
}

/* (transfer full): a row as the window shows it: factors, at @time the time and its uncertainty in percent, the rest */
static GPtrArray *
arrange_row(GPtrArray *cells, GPtrArray *factors, const char *spread, guint time)
{
  GPtrArray *row = g_ptr_array_new_with_free_func(g_free);

  for (guint i = 0; i < factors->len; i++)
    g_ptr_array_add(row, g_strdup(factors->pdata[i]));
  if (factors->len == 0)
    g_ptr_array_add(row, g_strdup(cells->pdata[TABLE_CONFIGURATION]));
  g_ptr_array_insert(row, (int)time, g_strdup(cells->pdata[TABLE_MEDIAN]));
  g_ptr_array_insert(row, (int)time + 1, g_strdup(spread));
  for (guint i = TABLE_REST; i < cells->len; i++)
    g_ptr_array_add(row, g_strdup(cells->pdata[i]));
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
  const guint time = time_column(report, keys);

  for (guint i = 0; i < keys->len; i++)
    g_ptr_array_add(titles, g_str_equal(keys->pdata[i], "case") ? (gpointer)_("case") : keys->pdata[i]);
  g_ptr_array_add(arranged, arrange_row(table->pdata[0], titles, "± %", time));
  for (guint i = 1; i < table->len; i++) {
    const MsReportRow *row = report->rows->pdata[i - 1];
    const gboolean ok =
      row->measurement->outcome == MS_OUTCOME_OK && row->summary.n > 1 && isfinite(row->summary.spread);
    g_autofree char *spread = ok ? g_strdup_printf("%.1f", row->summary.spread * 100) : g_strdup("");
    g_autoptr(GPtrArray) values = list_values(keys, row);
    g_ptr_array_add(arranged, arrange_row(table->pdata[i], values, spread, time));
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
#define RESULT_CHARS 24
#define BAR_WIDTH 64
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

/* The results may be sentences: their column takes the width that the others leave, and the tooltip has the whole. */
static void
let_results_give_way(GtkTreeViewColumn *view, GtkCellRenderer *cell)
{
  g_object_set(cell, "ellipsize", PANGO_ELLIPSIZE_END, "width-chars", RESULT_CHARS, NULL);
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
}

/* @time: which column has the time */
static void
add_column(GtkTreeView *tree, GPtrArray *table, guint column, guint time)
{
  GPtrArray *titles = table->pdata[0];
  gboolean numeric = is_numeric(table, column);
  GtkCellRenderer *cell = gtk_cell_renderer_text_new();
  GtkTreeViewColumn *view = gtk_tree_view_column_new_with_attributes(
    titles->pdata[column], cell, "text", COLUMN_CELLS + column, "weight", COLUMN_WEIGHT, NULL);

  g_object_set(cell, "xalign", numeric ? 1.0 : 0.0, NULL);
  gtk_tree_view_column_set_alignment(view, numeric ? 1.0 : 0.0);
  gtk_tree_view_column_set_resizable(view, TRUE);
  if (column + 1 == titles->len)
    let_results_give_way(view, cell);
  if (column == time)
    add_bar(view);
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

/* The tooltip: the name of the row, how often and how evenly it was measured, and its message. */
static char *
hint_of(const MsReportRow *row, const char *note)
{
  g_autofree char *least = ms_format_ns(row->summary.minimum), *quartiles = ms_format_ns(row->summary.iqr);
  g_autofree char *samples = row->summary.n > 1 ? g_strdup_printf(_("\n%u samples, least %s, interquartile range %s"),
                                                                  row->summary.n, least, quartiles)
                                                : g_strdup("");

  return g_strdup_printf("%s%s%s%s", row->label, samples, note && *note ? "\n" : "", note ? note : "");
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

static int
row_at(GtkTreeModel *model, GtkTreeIter *iter)
{
  int row;

  gtk_tree_model_get(model, iter, COLUMN_ROW, &row, -1);
  return row;
}

static int
selected_row(GtkTreeView *tree)
{
  GtkTreeModel *model;
  GtkTreeIter iter;

  return gtk_tree_selection_get_selected(gtk_tree_view_get_selection(tree), &model, &iter) ? row_at(model, &iter) : -1;
}

static void
select_row(GtkTreeView *tree, int row)
{
  GtkTreeModel *model = gtk_tree_view_get_model(tree);
  GtkTreeIter iter;

  for (gboolean more = gtk_tree_model_get_iter_first(model, &iter); more; more = gtk_tree_model_iter_next(model, &iter))
    if (row_at(model, &iter) == row)
      gtk_tree_selection_select_iter(gtk_tree_view_get_selection(tree), &iter);
}

/* Selects the row of the bar or marker that was clicked in the chart, and scrolls to it. */
static void
on_chart_row_clicked(MsReportView *self, guint row)
{
  GtkTreeModel *model;
  GtkTreeIter iter;

  select_row(self->tree, (int)row);
  if (!gtk_tree_selection_get_selected(gtk_tree_view_get_selection(self->tree), &model, &iter))
    return;
  g_autoptr(GtkTreePath) path = gtk_tree_model_get_path(model, &iter);
  gtk_tree_view_scroll_to_cell(self->tree, path, NULL, FALSE, 0, 0);
}

/* Fills @tree with @report; sort order and selection are kept. */
static void
show_table(GtkTreeView *tree, const MsReport *report)
{
  g_autoptr(GPtrArray) table = arrange_table(report), factors = list_factors(report);
  GPtrArray *titles = table->pdata[0];
  g_autoptr(GtkListStore) store = make_store(titles->len);
  GtkTreeModel *old = gtk_tree_view_get_model(tree);
  int selected = old ? selected_row(tree) : -1;
  int sort_column;
  GtkSortType order;

  const double longest = longest_time(report);
  for (guint i = 1; i < table->len; i++)
    append_row(store, report, i - 1, longest, table->pdata[i]);
  gboolean same = has_columns(tree, titles);
  gboolean sorted = same && old && gtk_tree_sortable_get_sort_column_id(GTK_TREE_SORTABLE(old), &sort_column, &order);
  make_columns(tree, table, time_column(report, factors));
  if (sorted)
    gtk_tree_sortable_set_sort_column_id(GTK_TREE_SORTABLE(store), sort_column, order);
  gtk_tree_view_set_model(tree, GTK_TREE_MODEL(store));
  if (selected >= 0)
    select_row(tree, selected);
}

static void
ms_report_view_finalize(GObject *object)
{
  g_clear_pointer(&MS_REPORT_VIEW(object)->report, ms_report_unref);
  g_clear_pointer(&MS_REPORT_VIEW(object)->own, ms_chart_unref);
  G_OBJECT_CLASS(ms_report_view_parent_class)->finalize(object);
}

static void
on_row_activated(MsReportView *self, GtkTreePath *path)
{
  GtkTreeModel *model = gtk_tree_view_get_model(self->tree);
  GtkTreeIter iter;

  if (gtk_tree_model_get_iter(model, &iter, path))
    g_signal_emit(self, signals[SIGNAL_ROW_CHOSEN], 0, (guint)row_at(model, &iter));
}

/* Export */

#define CHART_WIDTH 960.0
#define CHART_HEIGHT 560.0

/* A format, by the extension of its files, is either a text or a chart. */
typedef struct {
  const char *extension;
  char *(*to_text)(const MsReport *report);
  gboolean (*save_chart)(const MsChart *chart, const char *path, const MsChartPage *page, GError **error);
} Format;

static const Format formats[] = {
  {"csv", .to_text = ms_report_to_csv},     {"json", .to_text = ms_report_to_json},
  {"md", .to_text = ms_report_to_markdown}, {"svg", .save_chart = ms_chart_save_svg},
  {"png", .save_chart = ms_chart_save_png},
};

typedef struct {
  MsReport *report;
  MsChart *own; /* (nullable) */
  const Format *format;
  MsChartTheme theme;
  char *path;
} ExportWork;

static void
free_export(gpointer data)
{
  ExportWork *work = data;

  ms_report_unref(work->report);
  g_clear_pointer(&work->own, ms_chart_unref);
  g_free(work->path);
  g_free(work);
}

/* Writes all of the file or leaves it as it was. */
static gboolean
write_file(const ExportWork *work, GError **error)
{
  g_autoptr(GError) failure = NULL;

  if (work->format->save_chart) {
    g_autoptr(MsChart) chart =
      work->own ? ms_chart_ref(work->own) : ms_report_to_chart(work->report, MS_LANGUAGE_ENGLISH);
    return work->format->save_chart(chart, work->path, &(MsChartPage){CHART_WIDTH, CHART_HEIGHT, work->theme}, error);
  }
  g_autofree char *text = work->format->to_text(work->report);
  if (!g_file_set_contents(work->path, text, -1, &failure))
    g_set_error(error, MS_ERROR, MS_ERROR_IO, _("The report could not be written to %s: %s"), work->path,
                failure->message);
  return !failure;
}

static void
write_in_thread(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  GError *error = NULL;

  if (write_file(data, &error))
    g_task_return_boolean(task, TRUE);
  else
    g_task_return_error(task, error);
}

static void
on_exported(GObject *source, GAsyncResult *result, gpointer data)
{
  MsReportView *self = MS_REPORT_VIEW(source);
  ExportWork *work = g_task_get_task_data(G_TASK(result));
  g_autoptr(GError) error = NULL;

  if (!g_task_propagate_boolean(G_TASK(result), &error)) {
    g_signal_emit(self, signals[SIGNAL_PROBLEM], 0, error);
    return;
  }
  g_autofree char *text = g_strdup_printf(_("Exported to %s."), work->path);
  gtk_label_set_text(self->footer, text);
  gtk_widget_set_tooltip_text(GTK_WIDGET(self->footer), text);
}

/** ms_report_view_export_to: writes the report on another thread; the extension of @path selects the format. */
void
ms_report_view_export_to(MsReportView *self, const char *path)
{
  const char *dot = strrchr(path, '.');
  const Format *format = NULL;

  for (guint i = 0; dot && i < G_N_ELEMENTS(formats); i++)
    if (g_str_equal(formats[i].extension, dot + 1))
      format = &formats[i];
  if (!self->report || !format) {
    g_autoptr(GError) error = g_error_new(
      MS_ERROR, MS_ERROR_USAGE, _("Reports are written as .csv, .json, .md, .svg or .png, so %s cannot be."), path);
    g_signal_emit(self, signals[SIGNAL_PROBLEM], 0, error);
    return;
  }
  g_autoptr(GTask) task = g_task_new(self, NULL, on_exported, NULL);
  ExportWork *work = g_new(ExportWork, 1);
  *work = (ExportWork){ms_report_ref(self->report), self->own ? ms_chart_ref(self->own) : NULL, format,
                       ms_drawn_theme(GTK_WIDGET(self)), g_strdup(path)};
  g_task_set_task_data(task, work, free_export);
  g_task_run_in_thread(task, write_in_thread);
}

static void
on_file_chosen(GtkWidget *widget, GFile *file)
{
  g_autofree char *path = g_file_get_path(file);

  if (path)
    ms_report_view_export_to(MS_REPORT_VIEW(widget), path);
}

/* @extension: of the format that was chosen in the menu */
static void
on_export_activate(GSimpleAction *action, GVariant *extension, gpointer data)
{
  MsReportView *self = data;

  if (!self->report)
    return;
  g_autofree char *name =
    g_strdup_printf("%s.%s", self->report->experiment->name, g_variant_get_string(extension, NULL));
  const MsFileQuestion question = {GTK_FILE_CHOOSER_ACTION_SAVE, _("Export the Report"), _("_Export"), name, FALSE};
  ms_files_choose(GTK_WIDGET(self), &question, on_file_chosen);
}

/* The window with the large chart */

static gboolean
on_large_key_press(GtkWidget *window, GdkEventKey *event)
{
  if (event->keyval != GDK_KEY_Escape)
    return GDK_EVENT_PROPAGATE;
  gtk_widget_destroy(window);
  return GDK_EVENT_STOP;
}

static void
on_enlarge_clicked(MsReportView *self)
{
  GtkWidget *parent = gtk_widget_get_toplevel(GTK_WIDGET(self));
  GtkWidget *window = gtk_window_new(GTK_WINDOW_TOPLEVEL);
  GtkWidget *chart = ms_chart_view_new();

  if (GTK_IS_WINDOW(parent)) {
    gtk_window_set_transient_for(GTK_WINDOW(window), GTK_WINDOW(parent));
    gtk_window_set_destroy_with_parent(GTK_WINDOW(window), TRUE);
  }
  gtk_window_set_title(GTK_WINDOW(window), ms_experiment_text(self->report->experiment->title, MS_LANGUAGE_USER));
  gtk_window_set_default_size(GTK_WINDOW(window), 960, 600);
  ms_chart_view_set_chart(MS_CHART_VIEW(chart), ms_chart_view_get_chart(self->chart), self->report->experiment->title);
  gtk_container_add(GTK_CONTAINER(window), chart);
  g_signal_connect(window, "key-press-event", G_CALLBACK(on_large_key_press), NULL);
  gtk_widget_show_all(window);
  gtk_window_present(GTK_WINDOW(window)); /* gives it the keyboard where no window manager does */
}

#define CHILD(name) MS_TEMPLATE_CHILD(MsReportView, name)

static void
ms_report_view_class_init(MsReportViewClass *klass)
{
  static const MsTemplatePart parts[] = {
    CHILD(stack),
    CHILD(verdict),
    CHILD(footer),
    CHILD(paned),
    CHILD(tree),
    CHILD(chart),
    MS_TEMPLATE_CALLBACK(on_row_activated),
    MS_TEMPLATE_CALLBACK(on_enlarge_clicked),
    MS_TEMPLATE_CALLBACK(on_chart_row_clicked),
  };

  G_OBJECT_CLASS(klass)->finalize = ms_report_view_finalize;
  signals[SIGNAL_ROW_CHOSEN] = g_signal_new("row-chosen", MS_TYPE_REPORT_VIEW, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                            G_TYPE_NONE, 1, G_TYPE_UINT);
  signals[SIGNAL_PROBLEM] =
    g_signal_new("problem", MS_TYPE_REPORT_VIEW, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_ERROR);
  g_type_ensure(MS_TYPE_CHART_VIEW);
  ms_template_bind(klass, "panels/common/report-view.ui", parts, G_N_ELEMENTS(parts));
}

static void
ms_report_view_init(MsReportView *self)
{
  static const GActionEntry entries[] = {{.name = "export", .activate = on_export_activate, .parameter_type = "s"}};
  g_autoptr(GSimpleActionGroup) group = g_simple_action_group_new();

  g_action_map_add_action_entries(G_ACTION_MAP(group), entries, G_N_ELEMENTS(entries), self);
  gtk_widget_insert_action_group(GTK_WIDGET(self), "report", G_ACTION_GROUP(group));
  gtk_widget_init_template(GTK_WIDGET(self));
}

/* One line: where the numbers come from; the tooltip adds the driver's name of the device and what was published. */
static void
show_footer(MsReportView *self, const MsReport *report)
{
  g_autofree char *heading = ms_report_heading(report, MS_LANGUAGE_USER);
  g_autofree char *footer = g_strchomp(ms_report_footer(report, MS_LANGUAGE_USER));
  const char *device = report->device.name ? report->device.name : "?";
  g_autofree char *all = g_strconcat(heading, "\n", device, *footer ? "\n" : "", footer, NULL);

  gtk_label_set_text(self->footer, heading);
  gtk_widget_set_tooltip_text(GTK_WIDGET(self->footer), all);
}

/** ms_report_view_put_beside: puts the chart beside the table, where several charts one below another need height. */
void
ms_report_view_put_beside(MsReportView *self)
{
  gtk_orientable_set_orientation(self->paned, GTK_ORIENTATION_HORIZONTAL);
}

/** ms_report_view_set_report: @report: (nullable) (transfer none): must not change any more */
void
ms_report_view_set_report(MsReportView *self, MsReport *report)
{
  if (report)
    ms_report_ref(report);
  g_clear_pointer(&self->report, ms_report_unref);
  g_clear_pointer(&self->own, ms_chart_unref);
  self->report = report;
  gtk_stack_set_visible_child_name(self->stack, report ? "report" : "empty");
  if (!report) {
    ms_chart_view_set_chart(self->chart, NULL, _("Chart"));
    return;
  }
  g_autoptr(MsChart) chart = ms_report_to_chart(report, MS_LANGUAGE_USER);
  g_autofree char *verdict = ms_report_verdict_text(report, MS_LANGUAGE_USER);
  ms_chart_set_note(chart, NULL); /* the verdict stands above the table */
  gtk_label_set_text(self->verdict, verdict ? verdict : "");
  gtk_widget_set_visible(GTK_WIDGET(self->verdict), verdict != NULL);
  show_footer(self, report);
  show_table(self->tree, report);
  ms_chart_view_set_chart(self->chart, chart, report->experiment->title);
}

/** ms_report_view_set_chart: shows and exports @chart, called @name, in place of that of the report set before. */
void
ms_report_view_set_chart(MsReportView *self, MsChart *chart, const char *name)
{
  g_clear_pointer(&self->own, ms_chart_unref);
  self->own = ms_chart_ref(chart);
  ms_chart_view_set_chart(self->chart, chart, name);
}

/** ms_report_view_get_report: (transfer none) (nullable) */
MsReport *
ms_report_view_get_report(MsReportView *self)
{
  return self->report;
}

/** ms_report_view_get_selected: the index of the selected row in the report, or -1 */
int
ms_report_view_get_selected(MsReportView *self)
{
  return self->report ? selected_row(self->tree) : -1;
}
