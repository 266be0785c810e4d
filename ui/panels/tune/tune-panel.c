/* SPDX-License-Identifier: MIT */
#include "ui/panels/tune/tune-panel.h"

#include <glib/gi18n-lib.h>

#include "ui/document/document-settings.h"
#include "ui/panels/common/chart-view.h"
#include "ui/common/format.h"
#include "ui/panels/common/panel-style.h"

struct _MsTunePanel {
  MsJobPanel parent_instance;
  GtkComboBox *strategy;
  GtkSpinButton *budget;
  GtkToggleButton *fresh;
  GtkTreeView *tree;
  GtkListStore *store;
  MsChartView *chart;
  GtkLabel *winner;
  GtkWidget *apply;
  guint listed; /* trials of the job that are in @store */
};

G_DEFINE_FINAL_TYPE(MsTunePanel, ms_tune_panel, MS_TYPE_JOB_PANEL)

/* As in tune-panel.ui. */
enum {
  COLUMN_NUMBER,
  COLUMN_SETTINGS,
  COLUMN_TIME,
  COLUMN_OUTCOME,
  COLUMN_MS,
};

static MsTuneJob *
get_job(MsTunePanel *self)
{
  MsPanelJob *job = ms_job_panel_get_job(MS_JOB_PANEL(self));

  return job ? MS_TUNE_JOB(job) : NULL;
}

static char *
ms_tune_panel_ready_text(MsJobPanel *panel, MsDevice *device, gboolean *ready)
{
  MsTunePanel *self = MS_TUNE_PANEL(panel);

  gtk_widget_set_sensitive(self->apply, ms_tune_panel_get_best(self) != NULL);
  return device ? g_strdup_printf(_("Searches on %s with the current filter settings."), ms_device_get_name(device))
                : g_strdup(_("Open a picture and choose an OpenCL device to tune for."));
}

static void
list_trial(MsTunePanel *self, const MsTrial *trial, guint number)
{
  gboolean good = trial->outcome == MS_OUTCOME_OK;
  g_autofree char *settings = ms_factors_to_string(trial->factors);
  g_autofree char *time = good ? ms_format_cell_ms(trial->ns * 1e-6) : g_strdup(MS_NO_NUMBER);
  const char *why = trial->shown ? trial->shown : trial->message;
  g_autofree char *outcome =
    good ? g_strdup(_("verified")) : g_strdup_printf("%s: %s", _(ms_outcome_to_string(trial->outcome)), why ? why : "");
  GtkTreeIter iter;

  g_strdelimit(outcome, "\n", ' ');
  gtk_list_store_insert_with_values(self->store, &iter, -1, COLUMN_NUMBER, (int)number, COLUMN_SETTINGS, settings,
                                    COLUMN_TIME, time, COLUMN_OUTCOME, outcome, COLUMN_MS,
                                    good ? trial->ns * 1e-6 : G_MAXDOUBLE, -1);
}

static void
show_winner(MsTunePanel *self)
{
  const MsTrial *best = ms_tune_panel_get_best(self);

  if (!best) {
    gtk_label_set_text(self->winner, _("No configuration has been measured yet."));
    return;
  }
  g_autofree char *settings = ms_factors_to_string(best->factors);
  g_autofree char *time = ms_format_ns(best->ns);
  g_autofree char *text = g_strdup_printf(_("★ Fastest so far: %s (%s)"), time, settings);
  gtk_label_set_text(self->winner, text);
  gtk_widget_set_tooltip_text(GTK_WIDGET(self->winner), settings);
}

/* Faster rows are inserted above the visible ones, so the view is scrolled to the top. */
static void
show_fastest_rows(MsTunePanel *self)
{
  g_autoptr(GtkTreePath) top = gtk_tree_path_new_first();

  if (self->listed > 0 && !gtk_widget_has_focus(GTK_WIDGET(self->tree)))
    gtk_tree_view_scroll_to_cell(self->tree, top, NULL, TRUE, 0, 0);
}

static void
ms_tune_panel_show(MsJobPanel *panel, MsPanelJob *job)
{
  MsTunePanel *self = MS_TUNE_PANEL(panel);
  GPtrArray *trials = ms_tune_job_get_trials(get_job(self));
  g_autoptr(MsChart) chart = ms_tune_job_chart(get_job(self));

  for (; self->listed < trials->len; self->listed++)
    list_trial(self, trials->pdata[self->listed], self->listed + 1);
  show_fastest_rows(self);
  ms_chart_view_set_chart(self->chart, chart, _("Search for the fastest configuration"));
  show_winner(self);
  gtk_widget_set_sensitive(self->apply, ms_tune_panel_get_best(self) != NULL);
}

static char *
ms_tune_panel_progress_text(MsJobPanel *panel, MsPanelJob *job)
{
  return g_strdup_printf(_("%u of %.0f configurations tried"), ms_tune_job_get_trials(MS_TUNE_JOB(job))->len,
                         (double)ms_tune_job_get_space_size(MS_TUNE_JOB(job)));
}

static char *
ms_tune_panel_ended_text(MsJobPanel *panel, MsPanelJob *job, gboolean cancelled)
{
  guint n = ms_tune_job_get_trials(MS_TUNE_JOB(job))->len;

  if (cancelled)
    return g_strdup_printf(_("Cancelled after %u configurations; the next search continues from here."), n);
  if (!ms_tune_panel_get_best(MS_TUNE_PANEL(panel)))
    return g_strdup_printf(_("Done: %u configurations tried, none of them to its end. Increase the budget."), n);
  return g_strdup_printf(_("Done: %u configurations tried. The fastest is saved for this device and driver."), n);
}

static MsTuneStrategy
get_strategy(MsTunePanel *self)
{
  MsTuneStrategy strategy = MS_TUNE_AUTO;

  ms_tune_strategy_parse(gtk_combo_box_get_active_id(self->strategy), &strategy, NULL);
  return strategy;
}

static MsPanelJob *
ms_tune_panel_start(MsJobPanel *panel, MsDevice *device)
{
  MsTunePanel *self = MS_TUNE_PANEL(panel);
  MsDocument *document = ms_panel_get_document(MS_PANEL(panel));
  MsTuneJobSpec spec = {.device = device,
                        .engine = ms_document_get_engine(document),
                        .image = ms_document_get_source(document),
                        .settings = *ms_document_get_settings(document),
                        .strategy = get_strategy(self),
                        .budget_s = gtk_spin_button_get_value(self->budget),
                        .fresh = gtk_toggle_button_get_active(self->fresh)};

  self->listed = 0;
  gtk_list_store_clear(self->store);
  return MS_PANEL_JOB(ms_tune_job_start(&spec));
}

/** ms_tune_panel_get_best: (transfer none) (nullable): the fastest of the search */
const MsTrial *
ms_tune_panel_get_best(MsTunePanel *self)
{
  return get_job(self) ? ms_tune_job_get_best(get_job(self)) : NULL;
}

/** ms_tune_panel_apply: applies the toggles of the fastest configuration. */
void
ms_tune_panel_apply(MsTunePanel *self)
{
  const MsTrial *best = ms_tune_panel_get_best(self);

  if (best)
    ms_panel_apply_toggles(MS_PANEL(self), best->factors);
}

static void
bind_template(GtkWidgetClass *widget_class)
{
  gtk_widget_class_set_template_from_resource(widget_class,
                                              "/io/github/meanshift_lab/MeanshiftLab/ui/panels/tune/tune-panel.ui");
  gtk_widget_class_bind_template_child(widget_class, MsTunePanel, strategy);
  gtk_widget_class_bind_template_child(widget_class, MsTunePanel, budget);
  gtk_widget_class_bind_template_child(widget_class, MsTunePanel, fresh);
  gtk_widget_class_bind_template_child_full(widget_class, "bar", TRUE, 0);
  gtk_widget_class_bind_template_child(widget_class, MsTunePanel, tree);
  gtk_widget_class_bind_template_child(widget_class, MsTunePanel, store);
  gtk_widget_class_bind_template_child(widget_class, MsTunePanel, chart);
  gtk_widget_class_bind_template_child(widget_class, MsTunePanel, winner);
  gtk_widget_class_bind_template_child(widget_class, MsTunePanel, apply);
  gtk_widget_class_bind_template_callback(widget_class, ms_tune_panel_apply);
}

static void
ms_tune_panel_class_init(MsTunePanelClass *klass)
{
  MS_JOB_PANEL_CLASS(klass)->start = ms_tune_panel_start;
  MS_JOB_PANEL_CLASS(klass)->show = ms_tune_panel_show;
  MS_JOB_PANEL_CLASS(klass)->progress_text = ms_tune_panel_progress_text;
  MS_JOB_PANEL_CLASS(klass)->ended_text = ms_tune_panel_ended_text;
  MS_JOB_PANEL_CLASS(klass)->ready_text = ms_tune_panel_ready_text;
  g_type_ensure(MS_TYPE_CHART_VIEW);
  bind_template(GTK_WIDGET_CLASS(klass));
}

static void
ms_tune_panel_init(MsTunePanel *self)
{
  gtk_widget_init_template(GTK_WIDGET(self));
  gtk_tree_sortable_set_sort_column_id(GTK_TREE_SORTABLE(self->store), COLUMN_MS, GTK_SORT_ASCENDING);
  ms_panel_tree_tooltip(self->tree, COLUMN_OUTCOME);
  show_winner(self);
  ms_job_panel_set_bar(MS_JOB_PANEL(self),
                       MS_LAB_BAR(gtk_widget_get_template_child(GTK_WIDGET(self), MS_TYPE_TUNE_PANEL, "bar")));
}
