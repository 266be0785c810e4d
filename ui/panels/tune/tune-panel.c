/* SPDX-License-Identifier: MIT */
#include "ui/panels/tune/tune-panel.h"

#include "ui/panels/common/chart-view.h"
#include "ui/common/format.h"
#include "ui/panels/common/lab-bar.h"
#include "ui/panels/common/panel-style.h"

struct _MsTunePanel {
  MsPanel parent_instance;
  GtkComboBox *strategy;
  GtkSpinButton *budget;
  GtkToggleButton *fresh;
  MsLabBar *bar;
  GtkTreeView *tree;
  GtkListStore *store;
  MsChartView *chart;
  GtkLabel *winner;
  GtkWidget *apply;
  MsTuneJob *job; /* (nullable): the newest */
  guint listed;   /* trials of @job that are in @store */
};

G_DEFINE_FINAL_TYPE(MsTunePanel, ms_tune_panel, MS_TYPE_PANEL)

/* As in tune-panel.ui. */
enum {
  COLUMN_NUMBER,
  COLUMN_SETTINGS,
  COLUMN_TIME,
  COLUMN_OUTCOME,
  COLUMN_MS,
};

static void
ms_tune_panel_dispose(GObject *object)
{
  MsTunePanel *self = MS_TUNE_PANEL(object);

  ms_panel_job_drop(MS_PANEL_JOB(g_steal_pointer(&self->job)), self);
  G_OBJECT_CLASS(ms_tune_panel_parent_class)->dispose(object);
}

gboolean
ms_tune_panel_is_running(MsTunePanel *self)
{
  return self->job && ms_panel_job_is_running(MS_PANEL_JOB(self->job));
}

static void
update_ready(MsTunePanel *self)
{
  MsDevice *device = ms_panel_get_device(MS_PANEL(self));

  gtk_widget_set_sensitive(self->apply, ms_tune_panel_get_best(self) != NULL);
  if (ms_tune_panel_is_running(self))
    return;
  ms_lab_bar_set_ready(self->bar, device != NULL);
  g_autofree char *ready =
    device ? g_strdup_printf("Searches on %s with the parameters in use.", ms_device_get_name(device)) : NULL;
  ms_lab_bar_set_note(self->bar, ready ? ready : "Open a picture and choose an OpenCL device to tune for.");
}

static void
list_trial(MsTunePanel *self, const MsTrial *trial, guint number)
{
  gboolean good = trial->outcome == MS_OUTCOME_OK;
  g_autofree char *settings = ms_factors_to_string(trial->factors);
  g_autofree char *time = good ? ms_format_cell_ms(trial->ns * 1e-6) : g_strdup(MS_NO_NUMBER);
  g_autofree char *outcome =
    good ? g_strdup("verified")
         : g_strdup_printf("%s: %s", ms_outcome_to_string(trial->outcome), trial->message ? trial->message : "");
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
    gtk_label_set_text(self->winner, "No configuration has been measured yet.");
    return;
  }
  g_autofree char *settings = ms_factors_to_string(best->factors);
  g_autofree char *time = ms_format_ns(best->ns);
  g_autofree char *text = g_strdup_printf("★ Fastest so far: %s (%s)", time, settings);
  gtk_label_set_text(self->winner, text);
  gtk_widget_set_tooltip_text(GTK_WIDGET(self->winner), settings);
}

/* The view would stay with the row that was on top; the fastest ones come in above it. */
static void
show_fastest_rows(MsTunePanel *self)
{
  g_autoptr(GtkTreePath) top = gtk_tree_path_new_first();

  if (self->listed > 0 && !gtk_widget_has_focus(GTK_WIDGET(self->tree)))
    gtk_tree_view_scroll_to_cell(self->tree, top, NULL, TRUE, 0, 0);
}

static void
show_search(MsTunePanel *self)
{
  GPtrArray *trials = ms_tune_job_get_trials(self->job);
  g_autoptr(MsChart) chart = ms_tune_job_chart(self->job);

  for (; self->listed < trials->len; self->listed++)
    list_trial(self, trials->pdata[self->listed], self->listed + 1);
  show_fastest_rows(self);
  ms_chart_view_set_chart(self->chart, chart, "Search for the fastest configuration");
  show_winner(self);
  gtk_widget_set_sensitive(self->apply, ms_tune_panel_get_best(self) != NULL);
}

static void
on_progressed(MsTuneJob *job, MsTunePanel *self)
{
  g_autofree char *message = g_strdup_printf("%u of %" G_GUINT64_FORMAT " configurations looked at",
                                             ms_tune_job_get_trials(job)->len, ms_tune_job_get_space_size(job));

  show_search(self);
  ms_lab_bar_set_progress(self->bar, ms_panel_job_get_fraction(MS_PANEL_JOB(job)), message);
}

static char *
ended_note(MsTunePanel *self, const GError *error)
{
  guint n = ms_tune_panel_get_n_trials(self);

  if (g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return g_strdup_printf("Cancelled after %u configurations; the search goes on from here next time.", n);
  if (error)
    return g_strdup(error->message);
  return g_strdup_printf("Done: %u configurations looked at. The winner is kept for this device and driver.", n);
}

static void
on_ended(MsTuneJob *job, GError *error, MsTunePanel *self)
{
  show_search(self);
  ms_lab_bar_set_running(self->bar, FALSE);
  update_ready(self);
  g_autofree char *note = ended_note(self, error);
  ms_lab_bar_set_note(self->bar, note);
}

static MsTuneStrategy
get_strategy(MsTunePanel *self)
{
  MsTuneStrategy strategy = MS_TUNE_AUTO;

  ms_tune_strategy_parse(gtk_combo_box_get_active_id(self->strategy), &strategy, NULL);
  return strategy;
}

/** ms_tune_panel_run: as if Tune had been clicked; a search under way is cancelled and resumed. */
void
ms_tune_panel_run(MsTunePanel *self)
{
  MsDocument *document = ms_panel_get_document(MS_PANEL(self));
  MsDevice *device = ms_panel_get_device(MS_PANEL(self));

  if (!device)
    return;
  ms_panel_job_drop(MS_PANEL_JOB(g_steal_pointer(&self->job)), self);
  self->listed = 0;
  gtk_list_store_clear(self->store);
  MsTuneJobSpec spec = {.device = device,
                        .image = ms_document_get_source(document),
                        .settings = *ms_document_get_settings(document),
                        .strategy = get_strategy(self),
                        .budget_s = gtk_spin_button_get_value(self->budget),
                        .fresh = gtk_toggle_button_get_active(self->fresh)};
  self->job = ms_tune_job_start(&spec);
  g_signal_connect_object(self->job, "progressed", G_CALLBACK(on_progressed), self, 0);
  g_signal_connect_object(self->job, "ended", G_CALLBACK(on_ended), self, 0);
  ms_lab_bar_set_running(self->bar, TRUE);
  show_winner(self);
}

void
ms_tune_panel_cancel(MsTunePanel *self)
{
  if (self->job)
    ms_panel_job_cancel(MS_PANEL_JOB(self->job));
}

/** ms_tune_panel_get_best: (transfer none) (nullable): the fastest of the search */
const MsTrial *
ms_tune_panel_get_best(MsTunePanel *self)
{
  return self->job ? ms_tune_job_get_best(self->job) : NULL;
}

guint
ms_tune_panel_get_n_trials(MsTunePanel *self)
{
  return self->job ? ms_tune_job_get_trials(self->job)->len : 0;
}

/** ms_tune_panel_apply: filters with the toggles of the winner. */
void
ms_tune_panel_apply(MsTunePanel *self)
{
  const MsTrial *best = ms_tune_panel_get_best(self);

  if (best)
    ms_panel_apply_toggles(MS_PANEL(self), best->factors);
}

void
ms_tune_panel_set_budget(MsTunePanel *self, double seconds)
{
  gtk_spin_button_set_value(self->budget, seconds);
}

void
ms_tune_panel_set_fresh(MsTunePanel *self, gboolean fresh)
{
  gtk_toggle_button_set_active(self->fresh, fresh);
}

const char *
ms_tune_panel_get_note(MsTunePanel *self)
{
  return ms_lab_bar_get_note(self->bar);
}

static void
ms_tune_panel_refresh(MsPanel *panel)
{
  update_ready(MS_TUNE_PANEL(panel));
}

static void
ms_tune_panel_attach(MsPanel *panel, MsDocument *document)
{
  ms_panel_follow(panel, ms_document_get_engine(document), "changed");
}

static void
bind_template(GtkWidgetClass *widget_class)
{
  gtk_widget_class_set_template_from_resource(widget_class,
                                              "/io/github/meanshift_lab/MeanshiftLab/ui/panels/tune/tune-panel.ui");
  gtk_widget_class_bind_template_child(widget_class, MsTunePanel, strategy);
  gtk_widget_class_bind_template_child(widget_class, MsTunePanel, budget);
  gtk_widget_class_bind_template_child(widget_class, MsTunePanel, fresh);
  gtk_widget_class_bind_template_child(widget_class, MsTunePanel, bar);
  gtk_widget_class_bind_template_child(widget_class, MsTunePanel, tree);
  gtk_widget_class_bind_template_child(widget_class, MsTunePanel, store);
  gtk_widget_class_bind_template_child(widget_class, MsTunePanel, chart);
  gtk_widget_class_bind_template_child(widget_class, MsTunePanel, winner);
  gtk_widget_class_bind_template_child(widget_class, MsTunePanel, apply);
  gtk_widget_class_bind_template_callback(widget_class, ms_tune_panel_run);
  gtk_widget_class_bind_template_callback(widget_class, ms_tune_panel_cancel);
  gtk_widget_class_bind_template_callback(widget_class, ms_tune_panel_apply);
}

static void
ms_tune_panel_class_init(MsTunePanelClass *klass)
{
  G_OBJECT_CLASS(klass)->dispose = ms_tune_panel_dispose;
  MS_PANEL_CLASS(klass)->attach = ms_tune_panel_attach;
  MS_PANEL_CLASS(klass)->refresh = ms_tune_panel_refresh;
  g_type_ensure(MS_TYPE_LAB_BAR);
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
  update_ready(self);
}
