/* SPDX-License-Identifier: MIT */
#include "ui/panels/common/report-view.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "core/error.h"
#include "core/lab/report/report-chart.h"
#include "core/lab/report/report-text.h"
#include "ui/panels/common/chart-view.h"
#include "ui/panels/common/panel-style.h"
#include "ui/panels/common/report-export.h"
#include "ui/panels/common/report-table.h"

struct _MsReportView {
  GtkBin parent_instance;
  GtkStack *stack;
  GtkLabel *footer;
  GtkTreeView *tree;
  MsChartView *chart;
  GtkMenuButton *export_button;
  MsReport *report; /* (nullable) */
};

G_DEFINE_FINAL_TYPE(MsReportView, ms_report_view, GTK_TYPE_BIN)

enum {
  SIGNAL_ROW_CHOSEN,
  SIGNAL_PROBLEM,
  N_SIGNALS,
};

static guint signals[N_SIGNALS];

static void
ms_report_view_finalize(GObject *object)
{
  g_clear_pointer(&MS_REPORT_VIEW(object)->report, ms_report_unref);
  G_OBJECT_CLASS(ms_report_view_parent_class)->finalize(object);
}

static void
on_row_activated(MsReportView *self, GtkTreePath *path, GtkTreeViewColumn *column)
{
  int row = ms_report_table_row_at(self->tree, path);

  if (row >= 0)
    g_signal_emit(self, signals[SIGNAL_ROW_CHOSEN], 0, (guint)row);
}

/* Export */

typedef struct {
  MsReport *report;
  MsExport format;
  MsChartTheme theme;
  char *path;
} ExportWork;

static void
free_export(gpointer data)
{
  ExportWork *work = data;

  ms_report_unref(work->report);
  g_free(work->path);
  g_free(work);
}

static void
write_export(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  ExportWork *work = data;
  GError *error = NULL;

  if (ms_report_export(work->report, work->format, work->theme, work->path, &error))
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
  MsExport format;

  if (!self->report || !dot || !ms_export_parse(dot + 1, &format)) {
    g_autoptr(GError) error = g_error_new(
      MS_ERROR, MS_ERROR_USAGE, _("Reports are written as .csv, .json, .md, .svg or .png, so %s cannot be."), path);
    g_signal_emit(self, signals[SIGNAL_PROBLEM], 0, error);
    return;
  }
  g_autoptr(GTask) task = g_task_new(self, NULL, on_exported, NULL);
  ExportWork *work = g_new0(ExportWork, 1);
  work->report = ms_report_ref(self->report);
  work->format = format;
  work->theme = ms_panel_theme(GTK_WIDGET(self));
  work->path = g_strdup(path);
  g_task_set_task_data(task, work, free_export);
  g_task_run_in_thread(task, write_export);
}

static void
on_file_chosen(GtkNativeDialog *dialog, int response, MsReportView *self)
{
  g_autofree char *path = gtk_file_chooser_get_filename(GTK_FILE_CHOOSER(dialog));

  if (response == GTK_RESPONSE_ACCEPT && path)
    ms_report_view_export_to(self, path);
  g_object_unref(dialog);
}

static void
on_export_activate(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  MsReportView *self = data;
  GtkWidget *window = gtk_widget_get_toplevel(GTK_WIDGET(self));
  MsExport format;

  if (!self->report || !ms_export_parse(g_variant_get_string(parameter, NULL), &format))
    return;
  GtkFileChooserNative *dialog =
    gtk_file_chooser_native_new(_("Export the Report"), GTK_IS_WINDOW(window) ? GTK_WINDOW(window) : NULL,
                                GTK_FILE_CHOOSER_ACTION_SAVE, _("_Export"), _("_Cancel"));
  g_autofree char *name = ms_export_file_name(self->report, format);
  gtk_file_chooser_set_current_name(GTK_FILE_CHOOSER(dialog), name);
  gtk_file_chooser_set_do_overwrite_confirmation(GTK_FILE_CHOOSER(dialog), TRUE);
  gtk_native_dialog_set_modal(GTK_NATIVE_DIALOG(dialog), TRUE);
  g_signal_connect_object(dialog, "response", G_CALLBACK(on_file_chosen), self, 0);
  gtk_native_dialog_show(GTK_NATIVE_DIALOG(dialog));
}

static gboolean
close_on_escape(GtkWidget *window, GdkEventKey *event)
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
  g_signal_connect(window, "key-press-event", G_CALLBACK(close_on_escape), NULL);
  gtk_widget_show_all(window);
  gtk_window_present(GTK_WINDOW(window)); /* gives it the keyboard where no window manager does */
}

static void
add_export_menu(MsReportView *self)
{
  static const GActionEntry entries[] = {{.name = "export", .activate = on_export_activate, .parameter_type = "s"}};
  g_autoptr(GSimpleActionGroup) group = g_simple_action_group_new();
  g_autoptr(GMenu) menu = g_menu_new();

  g_action_map_add_action_entries(G_ACTION_MAP(group), entries, G_N_ELEMENTS(entries), self);
  gtk_widget_insert_action_group(GTK_WIDGET(self), "report", G_ACTION_GROUP(group));
  for (guint i = 0; i < MS_N_EXPORTS; i++) {
    g_autofree char *action = g_strdup_printf("report.export::%s", ms_export_extension(i));
    g_menu_append(menu, ms_export_title(i), action);
  }
  gtk_menu_button_set_menu_model(self->export_button, G_MENU_MODEL(menu));
}

static void
ms_report_view_class_init(MsReportViewClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);

  G_OBJECT_CLASS(klass)->finalize = ms_report_view_finalize;
  signals[SIGNAL_ROW_CHOSEN] = g_signal_new("row-chosen", MS_TYPE_REPORT_VIEW, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                            G_TYPE_NONE, 1, G_TYPE_UINT);
  signals[SIGNAL_PROBLEM] =
    g_signal_new("problem", MS_TYPE_REPORT_VIEW, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_ERROR);
  g_type_ensure(MS_TYPE_CHART_VIEW);
  gtk_widget_class_set_template_from_resource(widget_class,
                                              "/io/github/meanshift_lab/MeanshiftLab/ui/panels/common/report-view.ui");
  gtk_widget_class_bind_template_child(widget_class, MsReportView, stack);
  gtk_widget_class_bind_template_child(widget_class, MsReportView, footer);
  gtk_widget_class_bind_template_child(widget_class, MsReportView, tree);
  gtk_widget_class_bind_template_child(widget_class, MsReportView, chart);
  gtk_widget_class_bind_template_child(widget_class, MsReportView, export_button);
  gtk_widget_class_bind_template_callback(widget_class, on_row_activated);
  gtk_widget_class_bind_template_callback(widget_class, on_enlarge_clicked);
}

static void
ms_report_view_init(MsReportView *self)
{
  gtk_widget_init_template(GTK_WIDGET(self));
  add_export_menu(self);
}

/* One line: where the numbers come from and what was published; the whole text is the tooltip. */
static void
show_footer(MsReportView *self, const MsReport *report)
{
  g_autofree char *heading = ms_report_heading(report, MS_LANGUAGE_USER);
  g_autofree char *footer = g_strchomp(ms_report_footer(report, MS_LANGUAGE_USER));
  g_autofree char *all = g_strconcat(heading, *footer ? "\n" : "", footer, NULL);

  gtk_label_set_text(self->footer, heading);
  gtk_widget_set_tooltip_text(GTK_WIDGET(self->footer), all);
}

/** ms_report_view_set_report: @report: (nullable) (transfer none): must not change any more */
void
ms_report_view_set_report(MsReportView *self, MsReport *report)
{
  if (report)
    ms_report_ref(report);
  g_clear_pointer(&self->report, ms_report_unref);
  self->report = report;
  gtk_stack_set_visible_child_name(self->stack, report ? "report" : "empty");
  if (!report) {
    ms_chart_view_set_chart(self->chart, NULL, _("Chart"));
    return;
  }
  g_autoptr(MsChart) chart = ms_report_to_chart(report, MS_LANGUAGE_USER);
  show_footer(self, report);
  ms_report_table_show(self->tree, report);
  ms_chart_view_set_chart(self->chart, chart, report->experiment->title);
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
  return self->report ? ms_report_table_row_at(self->tree, NULL) : -1;
}

/** ms_report_view_set_single_click: sets whether a single click activates a row. */
void
ms_report_view_set_single_click(MsReportView *self, gboolean single_click)
{
  gtk_tree_view_set_activate_on_single_click(self->tree, single_click);
}
