/* SPDX-License-Identifier: MIT */
#include "ui/panels/common/report-view.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "core/error.h"
#include "core/image/file/atomic-file.h"
#include "core/lab/report/report-verdict.h"
#include "core/lab/report/report.h"
#include "ui/common/drawn.h"
#include "ui/common/files.h"
#include "ui/common/format.h"
#include "ui/common/template.h"
#include "ui/panels/common/chart-view.h"
#include "ui/panels/common/report-table.h"

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
  gboolean has_two_charts;
};

G_DEFINE_FINAL_TYPE(MsReportView, ms_report_view, GTK_TYPE_BIN)

enum {
  SIGNAL_ROW_CHOSEN,
  SIGNAL_PROBLEM,
  N_SIGNALS,
};

static guint signals[N_SIGNALS];

/* Selects the row of the bar or marker that was clicked in the chart, and scrolls to it. */
static void
on_chart_row_clicked(MsReportView *self, guint row)
{
  GtkTreeModel *model;
  GtkTreeIter iter;

  ms_report_table_select(self->tree, (int)row);
  if (!gtk_tree_selection_get_selected(gtk_tree_view_get_selection(self->tree), &model, &iter))
    return;
  g_autoptr(GtkTreePath) path = gtk_tree_model_get_path(model, &iter);
  gtk_tree_view_scroll_to_cell(self->tree, path, NULL, FALSE, 0, 0);
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
    g_signal_emit(self, signals[SIGNAL_ROW_CHOSEN], 0, (guint)ms_report_table_row_at(model, &iter));
}

/* Export */

#define CHART_WIDTH 960.0
#define CHART_HEIGHT 560.0

/* A format, by the extension of its files, is either a text or a chart. */
typedef struct {
  const char *extension;
  char *(*to_text)(const MsReport *report);
  GByteArray *(*draw)(const MsChart *chart, const MsChartPage *page, GError **error);
} Format;

static const Format formats[] = {
  {"csv", .to_text = ms_report_to_csv},
  {"json", .to_text = ms_report_to_json},
  {"svg", .draw = ms_chart_to_svg},
  {"png", .draw = ms_chart_to_png},
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
  if (work->format->draw) {
    g_autoptr(MsChart) chart =
      work->own ? ms_chart_ref(work->own) : ms_report_to_chart(work->report, MS_LANGUAGE_ENGLISH);
    g_autoptr(GByteArray) drawing =
      work->format->draw(chart, &(MsChartPage){CHART_WIDTH, CHART_HEIGHT, work->theme}, error);
    return drawing && ms_atomic_file_save(NULL, work->path, drawing->data, drawing->len, error);
  }
  g_autofree char *text = work->format->to_text(work->report);
  return ms_atomic_file_save(NULL, work->path, text, strlen(text), error);
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
      MS_ERROR, MS_ERROR_USAGE, _("Reports are written as .csv, .json, .svg or .png, so %s cannot be."), path);
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

/* From this height of the view on, two charts one below the other are legible. */
#define HEIGHT_FOR_TWO 520

static void
ms_report_view_size_allocate(GtkWidget *widget, GtkAllocation *allocation)
{
  MsReportView *self = MS_REPORT_VIEW(widget);
  const gboolean beside = self->has_two_charts && allocation->height >= HEIGHT_FOR_TWO;

  gtk_orientable_set_orientation(self->paned, beside ? GTK_ORIENTATION_HORIZONTAL : GTK_ORIENTATION_VERTICAL);
  GTK_WIDGET_CLASS(ms_report_view_parent_class)->size_allocate(widget, allocation);
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
  GTK_WIDGET_CLASS(klass)->size_allocate = ms_report_view_size_allocate;
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

/** ms_report_view_put_beside: puts the chart, which is two, beside the table where there is the height for it. */
void
ms_report_view_put_beside(MsReportView *self)
{
  self->has_two_charts = TRUE;
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
  ms_report_table_show(self->tree, report);
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
  return self->report ? ms_report_table_selected(self->tree) : -1;
}
