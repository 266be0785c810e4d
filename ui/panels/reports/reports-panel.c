/* SPDX-License-Identifier: MIT */
#include "ui/panels/reports/reports-panel.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "core/lab/report/report.h"
#include "ui/common/files.h"
#include "ui/common/template.h"
#include "ui/panels/common/chart-view.h"
#include "ui/panels/common/report-files.h"
#include "ui/panels/common/table.h"

struct _MsReportsPanel {
  MsPanel parent_instance;
  GtkComboBoxText *experiment; /* the ids are the names of the experiments */
  GtkWidget *clear;
  GtkLabel *note;
  GtkStack *stack;
  GtkLabel *devices;
  GtkTreeView *tree;
  MsChartView *chart;
  GPtrArray *reports;
};

G_DEFINE_FINAL_TYPE(MsReportsPanel, ms_reports_panel, MS_TYPE_PANEL)

/* The table */

static void
set_columns(GtkTreeView *tree, GPtrArray *titles)
{
  while (gtk_tree_view_get_n_columns(tree) > 0)
    gtk_tree_view_remove_column(tree, gtk_tree_view_get_column(tree, 0));
  for (guint i = 0; i < titles->len; i++) {
    GtkTreeViewColumn *column =
      gtk_tree_view_column_new_with_attributes(titles->pdata[i], gtk_cell_renderer_text_new(), "text", (int)i, NULL);
    gtk_tree_view_column_set_resizable(column, TRUE);
    gtk_tree_view_append_column(tree, column);
  }
}

/* @table: titles, then the cells of each row */
static void
show_table(GtkTreeView *tree, GPtrArray *table)
{
  GPtrArray *titles = table->pdata[0];
  g_autoptr(GtkListStore) store = ms_table_new_store(titles->len);
  GtkTreeIter iter;

  for (guint r = 1; r < table->len; r++) {
    gtk_list_store_append(store, &iter);
    for (guint c = 0; c < titles->len; c++)
      gtk_list_store_set(store, &iter, (int)c, g_ptr_array_index((GPtrArray *)table->pdata[r], c), -1);
  }
  gtk_tree_view_set_model(tree, NULL);
  set_columns(tree, titles);
  gtk_tree_view_set_model(tree, GTK_TREE_MODEL(store));
}

/* The last column has published values, of which most experiments have none. */
static void
drop_empty_last_column(GPtrArray *table)
{
  const guint last = ((GPtrArray *)table->pdata[0])->len - 1;

  for (guint r = 1; r < table->len; r++)
    if (*(const char *)g_ptr_array_index((GPtrArray *)table->pdata[r], last))
      return;
  for (guint r = 0; r < table->len; r++)
    g_ptr_array_remove_index(table->pdata[r], last);
}

static void
on_experiment_changed(MsReportsPanel *self)
{
  const char *name = gtk_combo_box_get_active_id(GTK_COMBO_BOX(self->experiment));

  gtk_stack_set_visible_child_name(self->stack, name ? "reports" : "empty");
  if (!name)
    return;
  g_autoptr(GPtrArray) table = ms_reports_merge_table(self->reports, name, MS_LANGUAGE_USER);
  g_autoptr(MsChart) chart = ms_reports_merge_to_chart(self->reports, name, MS_LANGUAGE_USER);
  g_autofree char *devices = g_strchomp(ms_reports_merge_devices(self->reports, name, MS_LANGUAGE_USER));
  gtk_label_set_text(self->devices, devices);
  drop_empty_last_column(table);
  show_table(self->tree, table);
  ms_chart_view_set_chart(self->chart, chart, _("Devices side by side"));
}

/* The reports */

static const char *
title_of(MsReportsPanel *self, const char *experiment)
{
  for (guint i = 0; i < self->reports->len; i++) {
    const MsExperiment *one = ((MsReport *)self->reports->pdata[i])->experiment;
    if (g_str_equal(one->name, experiment))
      return ms_experiment_text(one->title, MS_LANGUAGE_USER);
  }
  return experiment;
}

/* Lists the experiments of all reports; the one that was shown stays, otherwise the first is shown. */
static void
list_experiments(MsReportsPanel *self)
{
  g_autoptr(GPtrArray) names = ms_reports_merge_names(self->reports);
  g_autofree char *shown = g_strdup(gtk_combo_box_get_active_id(GTK_COMBO_BOX(self->experiment)));

  g_signal_handlers_block_by_func(self->experiment, on_experiment_changed, self);
  gtk_combo_box_text_remove_all(self->experiment);
  for (guint i = 0; i < names->len; i++)
    gtk_combo_box_text_append(self->experiment, names->pdata[i], title_of(self, names->pdata[i]));
  if (!shown || !gtk_combo_box_set_active_id(GTK_COMBO_BOX(self->experiment), shown))
    gtk_combo_box_set_active(GTK_COMBO_BOX(self->experiment), names->len > 0 ? 0 : -1);
  g_signal_handlers_unblock_by_func(self->experiment, on_experiment_changed, self);
  gtk_widget_set_sensitive(GTK_WIDGET(self->experiment), names->len > 0);
  gtk_widget_set_sensitive(self->clear, names->len > 0);
  on_experiment_changed(self);
}

static gboolean
is_same(gconstpointer a, gconstpointer b)
{
  const MsReport *x = a, *y = b;

  return g_str_equal(x->experiment->name, y->experiment->name) && g_strcmp0(x->device.name, y->device.name) == 0 &&
         g_strcmp0(x->device.platform, y->device.platform) == 0 && g_strcmp0(x->date, y->date) == 0;
}

static void
clear_note(MsReportsPanel *self)
{
  gtk_label_set_text(self->note, "");
  gtk_widget_hide(GTK_WIDGET(self->note));
}

/* Several files that are chosen together are loaded one by one, so what is wrong with one stays. */
static void
add_note(MsReportsPanel *self, const char *problems)
{
  const char *before = gtk_label_get_text(self->note);
  g_autofree char *text = g_strconcat(before, *before && *problems ? "\n" : "", problems, NULL);

  gtk_label_set_text(self->note, text);
  gtk_widget_set_visible(GTK_WIDGET(self->note), *text != '\0');
}

static void
on_loaded(GObject *source, GAsyncResult *result, gpointer data)
{
  MsReportsPanel *self = MS_REPORTS_PANEL(source);
  g_autofree char *problems = NULL;
  g_autoptr(GPtrArray) reports = ms_report_files_load_finish(result, &problems);

  if (!self->tree) /* destroyed meanwhile */
    return;
  for (guint i = 0; i < reports->len; i++)
    if (!g_ptr_array_find_with_equal_func(self->reports, reports->pdata[i], is_same, NULL))
      g_ptr_array_add(self->reports, ms_report_ref(reports->pdata[i]));
  add_note(self, problems);
  list_experiments(self);
}

/** ms_reports_panel_add: adds the reports of files; a note says what is wrong with those that cannot be read. */
void
ms_reports_panel_add(MsReportsPanel *self, const char *const *paths)
{
  clear_note(self);
  ms_report_files_load_async(paths, self, on_loaded);
}

static void
on_files_chosen(GtkWidget *widget, GFile *file)
{
  g_autofree char *path = g_file_get_path(file);

  if (path)
    ms_report_files_load_async((const char *const[]){path, NULL}, widget, on_loaded);
}

static void
on_open_clicked(MsReportsPanel *self)
{
  const MsFileQuestion question = {GTK_FILE_CHOOSER_ACTION_OPEN, _("Open Reports"), _("_Open"), NULL, TRUE};

  clear_note(self);
  ms_files_choose(GTK_WIDGET(self), &question, on_files_chosen);
}

static void
on_clear_clicked(MsReportsPanel *self)
{
  g_ptr_array_set_size(self->reports, 0);
  clear_note(self);
  list_experiments(self);
}

/* Object */

static void
ms_reports_panel_finalize(GObject *object)
{
  g_ptr_array_unref(MS_REPORTS_PANEL(object)->reports);
  G_OBJECT_CLASS(ms_reports_panel_parent_class)->finalize(object);
}

#define CHILD(name) MS_TEMPLATE_CHILD(MsReportsPanel, name)

static void
ms_reports_panel_class_init(MsReportsPanelClass *klass)
{
  static const MsTemplatePart parts[] = {CHILD(experiment),
                                         CHILD(clear),
                                         CHILD(note),
                                         CHILD(stack),
                                         CHILD(devices),
                                         CHILD(tree),
                                         CHILD(chart),
                                         MS_TEMPLATE_CALLBACK(on_experiment_changed),
                                         MS_TEMPLATE_CALLBACK(on_open_clicked),
                                         MS_TEMPLATE_CALLBACK(on_clear_clicked),
                                         MS_TEMPLATE_CALLBACK(ms_table_copy),
                                         MS_TEMPLATE_CALLBACK(ms_table_export)};

  G_OBJECT_CLASS(klass)->finalize = ms_reports_panel_finalize;
  g_type_ensure(MS_TYPE_CHART_VIEW);
  ms_template_bind(klass, "panels/reports/reports-panel.ui", parts, G_N_ELEMENTS(parts));
}

static void
ms_reports_panel_init(MsReportsPanel *self)
{
  self->reports = g_ptr_array_new_with_free_func((GDestroyNotify)ms_report_unref);
  gtk_widget_init_template(GTK_WIDGET(self));
  list_experiments(self);
}
