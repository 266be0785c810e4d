/* SPDX-License-Identifier: MIT */
#include "ui/panels/compare/compare-panel.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "core/option/option.h"
#include "ui/common/format.h"
#include "ui/document/document.h"
#include "ui/document/flips.h"

/* A check button of the values to compare. */
typedef struct {
  const MsOptionInfo *option;
  const char *value;
  GtkWidget *button;
} Value;

struct _MsComparePanel {
  MsJobPanel parent_instance;
  GtkGrid *picker;
  GArray *values; /* Value; the values of one option are adjacent */
  GtkComboBox *mode;
  GtkSpinButton *repeats;
  MsReportView *view;
  GtkWidget *apply;
  GHashTable *kernels; /* label → kernel of the configurations for which `auto` chooses another one than now */
};

G_DEFINE_FINAL_TYPE(MsComparePanel, ms_compare_panel, MS_TYPE_JOB_PANEL)

/* The experiment */

/* Every option is fixed at its current value; cases and axes override it. */
static void
fix_current(MsExperiment *experiment, const MsSettings *current)
{
  const MsOptionInfo *table = ms_options.rows;

  for (guint i = 0; i < ms_options.n_rows; i++) {
    g_autofree char *value = ms_option_get_text(&table[i], current);
    ms_factors_set(experiment->fixed, table[i].name, value);
  }
}

static void
add_single_changes(MsExperiment *experiment, const MsSettings *current, const MsAxis *axis)
{
  g_autofree char *now = ms_option_get_text(ms_option_find(axis->key), current);

  for (char **value = axis->values; *value; value++) {
    if (strcmp(*value, now) == 0)
      continue;
    g_autoptr(MsFactors) change = ms_factors_new();
    g_autofree char *name = g_strdup_printf("%s %s", axis->key, *value);
    ms_factors_set(change, axis->key, *value);
    ms_experiment_add_case(experiment, name, change);
  }
}

static void
add_axes(MsExperiment *experiment, const MsSettings *current, const MsExperiment *choices)
{
  g_autoptr(MsFactors) baseline = ms_factors_new();
  gboolean contained = TRUE;

  for (guint i = 0; i < choices->axes->len; i++) {
    const MsAxis *axis = choices->axes->pdata[i];
    g_autofree char *now = ms_option_get_text(ms_option_find(axis->key), current);
    ms_experiment_add_axis(experiment, axis->key, (const char *const *)axis->values, NULL);
    ms_factors_set(baseline, axis->key, now);
    contained = contained && g_strv_contains((const char *const *)axis->values, now);
  }
  if (contained && ms_factors_size(baseline) > 0)
    ms_experiment_set_baseline(experiment, baseline);
}

/**
 * ms_compare_experiment:
 * @current: the values of all options that do not vary
 * @choices: has as axes the values to try
 *
 * Returns: (transfer full): an experiment of kind mean-shift. The current settings are the first case and the baseline;
 *   with all combinations, the baseline is the current settings if they are among them, otherwise the first
 *   combination.
 */
MsExperiment *
ms_compare_experiment(const MsSettings *current, const MsExperiment *choices, MsCompareMode mode)
{
  const char *title = mode == MS_COMPARE_ONE_AT_A_TIME ? _("One toggle at a time") : _("All combinations of toggles");
  MsExperiment *experiment = ms_experiment_new("compare", title, "mean-shift");
  g_autoptr(MsFactors) nothing = ms_factors_new();

  fix_current(experiment, current);
  if (mode == MS_COMPARE_ALL_COMBINATIONS) {
    add_axes(experiment, current, choices);
    return experiment;
  }
  ms_experiment_add_case(experiment, _("current settings"), nothing);
  for (guint i = 0; i < choices->axes->len; i++)
    add_single_changes(experiment, current, choices->axes->pdata[i]);
  return experiment;
}

/** ms_compare_count: the number of configurations of that experiment. */
guint
ms_compare_count(const MsSettings *current, const MsExperiment *choices, MsCompareMode mode)
{
  g_autoptr(MsExperiment) experiment = ms_compare_experiment(current, choices, mode);
  g_autoptr(GPtrArray) all = ms_experiment_expand(experiment, FALSE);

  return all->len;
}

/* The values to compare */

static const char *const common_shapes[] = {"auto", "8x8", "16x8", "16x16", "32x4", "32x8", "64x4", "128x1", NULL};

static void
add_value(MsComparePanel *self, GtkFlowBox *box, const MsOptionInfo *option, const char *value)
{
  GtkWidget *button = gtk_check_button_new_with_label(value);
  Value row = {option, value, button};
  g_autofree char *label = ms_format_plain(_(option->label));
  g_autofree char *name = g_strdup_printf("%s %s", label, value);

  atk_object_set_name(gtk_widget_get_accessible(button), name);
  g_signal_connect_object(button, "toggled", G_CALLBACK(ms_job_panel_update_ready), self, G_CONNECT_SWAPPED);
  gtk_container_add(GTK_CONTAINER(box), button);
  gtk_widget_set_can_focus(gtk_widget_get_parent(button), FALSE); /* the button itself takes the focus */
  g_array_append_val(self->values, row);
}

static void
add_option(MsComparePanel *self, const MsOptionInfo *option, int row)
{
  const char *const *values = option->kind == MS_OPTION_SHAPE ? common_shapes : option->values;
  g_autofree char *text = ms_format_plain(_(option->label));
  GtkWidget *label = g_object_new(GTK_TYPE_LABEL, "label", text, "xalign", 1.0, "valign", GTK_ALIGN_START, "margin-top",
                                  4, "tooltip-text", ms_option_tooltip(option), NULL);
  GtkWidget *box = g_object_new(GTK_TYPE_FLOW_BOX, "selection-mode", GTK_SELECTION_NONE, "max-children-per-line", 8,
                                "column-spacing", 6, "hexpand", TRUE, NULL);

  gtk_style_context_add_class(gtk_widget_get_style_context(label), "dim-label");
  for (guint i = 0; values[i]; i++)
    add_value(self, GTK_FLOW_BOX(box), option, values[i]);
  gtk_grid_attach(self->picker, label, 0, row, 1, 1);
  gtk_grid_attach(self->picker, box, 1, row, 1, 1);
}

/* A value that is unavailable now may work together with another toggle, so it stays selectable and has a tooltip. */
static void
update_value(const Value *value, MsDocument *document)
{
  g_autofree char *now = document ? ms_option_get_text(value->option, ms_document_get_settings(document)) : NULL;
  g_autofree char *refusal = document ? ms_document_option_refusal(document, value->option, value->value) : NULL;
  GtkWidget *label = gtk_bin_get_child(GTK_BIN(value->button));
  g_autofree char *text =
    g_strcmp0(now, value->value) == 0 ? g_strdup_printf(_("%s (now)"), value->value) : g_strdup(value->value);
  g_autofree char *tip = refusal ? g_strdup_printf(_("With the current settings: %s"), refusal) : NULL;
  GtkStyleContext *style = gtk_widget_get_style_context(label);

  gtk_label_set_text(GTK_LABEL(label), text);
  gtk_widget_set_tooltip_text(value->button, tip);
  if (refusal)
    gtk_style_context_add_class(style, "dim-label");
  else
    gtk_style_context_remove_class(style, "dim-label");
}

/* (transfer full): an axis for each toggle with a checked value */
static MsExperiment *
get_choices(MsComparePanel *self)
{
  MsExperiment *choices = ms_experiment_new("choices", "", "mean-shift");

  for (guint i = 0; i < self->values->len;) {
    const MsOptionInfo *option = g_array_index(self->values, Value, i).option;
    g_autoptr(GStrvBuilder) checked = g_strv_builder_new();
    for (; i < self->values->len && g_array_index(self->values, Value, i).option == option; i++) {
      const Value *value = &g_array_index(self->values, Value, i);
      if (gtk_toggle_button_get_active(GTK_TOGGLE_BUTTON(value->button)))
        g_strv_builder_add(checked, value->value);
    }
    g_auto(GStrv) values = g_strv_builder_end(checked);
    if (*values)
      ms_experiment_add_axis(choices, option->name, (const char *const *)values, NULL);
  }
  return choices;
}

/* As in compare-panel.ui. */
#define MODE_ALL "all"

static MsCompareMode
get_mode(MsComparePanel *self)
{
  return g_strcmp0(gtk_combo_box_get_active_id(self->mode), MODE_ALL) == 0 ? MS_COMPARE_ALL_COMBINATIONS
                                                                           : MS_COMPARE_ONE_AT_A_TIME;
}

/* Configurations whose times are estimated, evenly chosen among all, so that the estimate takes no noticeable time. */
#define MOST_ESTIMATES 200

/* Estimates the kernel time of one run of each configuration; negative while one of the kernels was never measured. */
static double
estimate_ms(MsDocument *document, const MsExperiment *choices, MsCompareMode mode)
{
  g_autoptr(MsExperiment) experiment = ms_compare_experiment(ms_document_get_settings(document), choices, mode);
  g_autoptr(GPtrArray) all = ms_experiment_expand(experiment, FALSE);
  const guint step = 1 + all->len / MOST_ESTIMATES;
  double ms = 0;

  for (guint i = 0; i < all->len; i += step) {
    MsSettings settings, resolved;
    if (!ms_settings_from_factors(all->pdata[i], &settings, NULL) ||
        !ms_document_resolve(document, &settings, &resolved))
      continue; /* is refused and takes no time */
    const double one = ms_document_estimate_ms(document, &resolved);
    if (one < 0)
      return -1;
    ms += one * step;
  }
  return ms;
}

/* (transfer full): what a comparison of @n configurations will take */
static char *
cost_text(MsComparePanel *self, MsDevice *device, const MsExperiment *choices, guint n)
{
  const guint repeats = (guint)gtk_spin_button_get_value_as_int(self->repeats);
  const double ms = repeats * estimate_ms(ms_panel_get_document(MS_PANEL(self)), choices, get_mode(self));
  const char *name = device->title;

  if (ms <= 0)
    return g_strdup_printf(_("%u configurations on %s: %u runs"), n, name, n * repeats);
  g_autofree char *time = ms_format_about(ms);
  return g_strdup_printf(_("%u configurations on %s: %u runs, about %s of kernel time"), n, name, n * repeats, time);
}

static char *
ms_compare_panel_ready_text(MsJobPanel *panel, MsDevice *device, gboolean *ready)
{
  MsDocument *document = ms_panel_get_document(MS_PANEL(panel));
  g_autoptr(MsExperiment) choices = get_choices(MS_COMPARE_PANEL(panel));
  guint n =
    document ? ms_compare_count(ms_document_get_settings(document), choices, get_mode(MS_COMPARE_PANEL(panel))) : 0;

  *ready = device && n > 1;
  if (!document)
    return g_strdup(_("Open a picture to compare ways to filter it."));
  if (!device)
    return g_strdup(_("Choose an OpenCL device; the serial reference has no toggles."));
  if (n < 2)
    return g_strdup(_("Choose the values to compare."));
  return cost_text(MS_COMPARE_PANEL(panel), device, choices, n);
}

static gboolean
is_ranked(const MsReportRow *row)
{
  return row->measurement->outcome == MS_OUTCOME_OK && row->summary.n > 0;
}

static int
compare_rows(gconstpointer a, gconstpointer b)
{
  const MsReportRow *x = *(MsReportRow *const *)a, *y = *(MsReportRow *const *)b;

  if (is_ranked(x) != is_ranked(y))
    return is_ranked(x) ? -1 : 1;
  if (!is_ranked(x) || x->summary.median == y->summary.median)
    return 0;
  return x->summary.median < y->summary.median ? -1 : 1;
}

/** ms_compare_sort: sorts the fastest first; unverified rows come last. */
void
ms_compare_sort(MsReport *report)
{
  g_ptr_array_sort(report->rows, compare_rows);
}

/* Finds the configurations of @experiment for which `auto` chooses another kernel than for the current settings. */
static void
find_other_kernels(MsComparePanel *self, const MsExperiment *experiment)
{
  MsDocument *document = ms_panel_get_document(MS_PANEL(self));
  g_autoptr(GPtrArray) all = ms_experiment_expand(experiment, FALSE);
  MsSettings settings, now, then;

  g_hash_table_remove_all(self->kernels);
  if (!ms_document_resolve(document, ms_document_get_settings(document), &now))
    return;
  for (guint i = 0; i < all->len; i++)
    if (ms_settings_from_factors(all->pdata[i], &settings, NULL) && settings.options.kernel == MS_KERNEL_AUTO &&
        ms_document_resolve(document, &settings, &then) && then.options.kernel != now.options.kernel)
      g_hash_table_insert(self->kernels, ms_experiment_label(experiment, all->pdata[i]),
                          (gpointer)ms_filter_kernel_name(then.options.kernel));
}

/* Adds to the name of @row that a value of it needs @kernel, and shows that as a setting. */
static void
name_kernel(MsReportRow *row, const char *kernel)
{
  char *label = g_strdup_printf("%s, kernel %s", row->label, kernel);

  g_free(row->label);
  row->label = label;
  if (ms_factors_get(row->factors, "case"))
    ms_factors_set(row->factors, "case", label);
  else
    ms_factors_set(row->factors, "kernel", kernel);
}

static void
ms_compare_panel_take(MsJobPanel *panel, const char *name, JsonObject *event)
{
  MsComparePanel *self = MS_COMPARE_PANEL(panel);
  g_autoptr(MsReport) report = strcmp(name, "report") == 0 ? ms_job_panel_read_report(panel, event) : NULL;

  if (!report || report->rows->len == 0)
    return;
  for (guint i = 0; i < report->rows->len; i++) {
    MsReportRow *row = report->rows->pdata[i];
    const char *kernel = g_hash_table_lookup(self->kernels, row->label);
    if (kernel)
      name_kernel(row, kernel);
  }
  ms_compare_sort(report);
  ms_report_view_set_report(self->view, report);
  gtk_widget_set_sensitive(self->apply, is_ranked(report->rows->pdata[0]));
}

/* Whether the interval of the speed-up of @best over @next, measured in the same rounds, is beyond the noise. */
static gboolean
is_certain(const MsReport *report, const MsReportRow *best, const MsReportRow *next)
{
  const MsTimes a = ms_measurement_times(next->measurement), b = ms_measurement_times(best->measurement);

  return ms_speedup_side_by_side(&a, &b, report->noise).verdict == MS_VERDICT_FASTER;
}

/** ms_compare_result_text: (transfer full): the fastest of a sorted report, or the two that may be. */
char *
ms_compare_result_text(const MsReport *report)
{
  const MsReportRow *best = report->rows->len > 0 ? report->rows->pdata[0] : NULL;
  const MsReportRow *next = report->rows->len > 1 ? report->rows->pdata[1] : NULL;
  guint wrong = ms_report_count(report, MS_OUTCOME_WRONG);

  if (wrong > 0)
    return g_strdup_printf(_("%u configurations give a wrong picture; they are marked and not ranked."), wrong);
  if (!best || !is_ranked(best))
    return g_strdup(_("Nothing could be measured; the last column says why."));
  g_autofree char *time = ms_format_ns(best->summary.median);
  if (next && is_ranked(next) && !is_certain(report, best, next))
    return g_strdup_printf(_("Fastest, not certain: %s or %s, %s"), best->label, next->label, time);
  return g_strdup_printf(_("Fastest: %s, %s"), best->label, time);
}

static char *
ms_compare_panel_ended_text(MsJobPanel *panel, gboolean cancelled)
{
  const MsReport *report = ms_report_view_get_report(MS_COMPARE_PANEL(panel)->view);

  if (cancelled)
    return g_strdup(_("Cancelled; the results so far are shown."));
  return report ? ms_compare_result_text(report) : g_strdup("");
}

static gboolean
ms_compare_panel_start(MsJobPanel *panel, MsProgramJob *job)
{
  MsComparePanel *self = MS_COMPARE_PANEL(panel);
  g_autoptr(MsExperiment) choices = get_choices(self);
  g_autoptr(MsExperiment) experiment =
    ms_compare_experiment(ms_document_get_settings(ms_panel_get_document(MS_PANEL(panel))), choices, get_mode(self));

  find_other_kernels(self, experiment);
  ms_job_panel_add_experiment(job, experiment);
  ms_program_job_add(job, "--repeat=%d", gtk_spin_button_get_value_as_int(self->repeats));
  ms_job_panel_add_picture(panel, job);
  ms_report_view_set_report(self->view, NULL);
  gtk_widget_set_sensitive(self->apply, FALSE);
  return TRUE;
}

static void
on_row_chosen(MsComparePanel *self, guint index)
{
  MsReport *report = ms_report_view_get_report(self->view);

  if (report && index < report->rows->len)
    ms_panel_apply_toggles(MS_PANEL(self), ((MsReportRow *)report->rows->pdata[index])->factors);
}

static void
on_apply_clicked(MsComparePanel *self)
{
  on_row_chosen(self, (guint)MAX(ms_report_view_get_selected(self->view), 0));
}

static void
ms_compare_panel_finalize(GObject *object)
{
  g_array_unref(MS_COMPARE_PANEL(object)->values);
  g_hash_table_unref(MS_COMPARE_PANEL(object)->kernels);
  G_OBJECT_CLASS(ms_compare_panel_parent_class)->finalize(object);
}

static void
ms_compare_panel_refresh(MsPanel *panel)
{
  GArray *values = MS_COMPARE_PANEL(panel)->values;

  for (guint i = 0; i < values->len; i++)
    update_value(&g_array_index(values, Value, i), ms_panel_get_document(panel));
  ms_job_panel_update_ready(MS_JOB_PANEL(panel));
}

#define CHILD(name) MS_TEMPLATE_CHILD(MsComparePanel, name)

static void
ms_compare_panel_class_init(MsComparePanelClass *klass)
{
  static const char *const follows[] = {"settings-changed", "notify::current-run", NULL};
  static const MsTemplatePart parts[] = {CHILD(picker),
                                         CHILD(mode),
                                         CHILD(repeats),
                                         CHILD(view),
                                         CHILD(apply),
                                         MS_TEMPLATE_CALLBACK(on_apply_clicked),
                                         MS_TEMPLATE_CALLBACK(on_row_chosen),
                                         MS_TEMPLATE_CALLBACK(ms_panel_report_problem)};

  G_OBJECT_CLASS(klass)->finalize = ms_compare_panel_finalize;
  MS_JOB_PANEL_CLASS(klass)->start = ms_compare_panel_start;
  MS_JOB_PANEL_CLASS(klass)->take = ms_compare_panel_take;
  MS_JOB_PANEL_CLASS(klass)->ended_text = ms_compare_panel_ended_text;
  MS_JOB_PANEL_CLASS(klass)->ready_text = ms_compare_panel_ready_text;
  MS_PANEL_CLASS(klass)->follows = follows;
  MS_PANEL_CLASS(klass)->refresh = ms_compare_panel_refresh;
  g_type_ensure(MS_TYPE_REPORT_VIEW);
  ms_job_panel_bind(MS_JOB_PANEL_CLASS(klass), "panels/compare/compare-panel.ui", parts, G_N_ELEMENTS(parts));
}

static void
ms_compare_panel_init(MsComparePanel *self)
{
  const MsOptionInfo *table = ms_options.rows;
  int row = 0;

  self->values = g_array_new(FALSE, FALSE, sizeof(Value));
  self->kernels = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  gtk_widget_init_template(GTK_WIDGET(self));
  for (guint i = 0; i < ms_options.n_rows; i++)
    if (table[i].group == MS_OPTION_GROUP_TOGGLE && (table[i].values || table[i].kind == MS_OPTION_SHAPE))
      add_option(self, &table[i], row++);
  gtk_widget_show_all(GTK_WIDGET(self->picker));
}
