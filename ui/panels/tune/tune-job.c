/* SPDX-License-Identifier: MIT */
#include "ui/panels/tune/tune-job.h"

#include <glib/gi18n-lib.h>
#include <math.h>

struct _MsTuneJob {
  MsPanelJob parent_instance;
  MsTuneJobSpec spec; /* its device and directory are not owned */
  char *directory;
  GPtrArray *trials; /* MsTrial; used by the main loop */
  guint64 space_size;
  guint taken; /* trials already sent to the main loop; used by the searching thread */

  GMutex lock; /* guards the members below, which the searching thread passes to the main loop */
  GPtrArray *fresh;
  double fresh_fraction;
  guint64 fresh_space;
  gboolean posted;
};

G_DEFINE_FINAL_TYPE(MsTuneJob, ms_tune_job, MS_TYPE_PANEL_JOB)

static void
ms_tune_job_finalize(GObject *object)
{
  MsTuneJob *self = MS_TUNE_JOB(object);

  g_clear_object(&self->spec.image);
  g_ptr_array_unref(self->trials);
  g_ptr_array_unref(self->fresh);
  g_mutex_clear(&self->lock);
  g_free(self->directory);
  G_OBJECT_CLASS(ms_tune_job_parent_class)->finalize(object);
}

/* Moves the new trials to the main loop's list. */
static void
take_fresh(MsTuneJob *self)
{
  g_mutex_lock(&self->lock);
  g_ptr_array_extend_and_steal(self->trials, g_steal_pointer(&self->fresh));
  self->fresh = g_ptr_array_new_with_free_func((GDestroyNotify)ms_trial_free);
  ms_panel_job_set_fraction(MS_PANEL_JOB(self), self->fresh_fraction);
  self->space_size = self->fresh_space;
  self->posted = FALSE;
  g_mutex_unlock(&self->lock);
}

static gboolean
deliver(gpointer data)
{
  MsTuneJob *self = data;

  if (ms_panel_job_is_running(MS_PANEL_JOB(self))) {
    take_fresh(self);
    ms_panel_job_report_progress(MS_PANEL_JOB(self));
  }
  return G_SOURCE_REMOVE;
}

/* Hundreds of refused configurations may arrive at once, so one message carries all new trials. */
static void
on_trial(const MsTuneRecord *record, const MsTrial *trial, double fraction, gpointer data)
{
  MsTuneJob *self = data;

  g_mutex_lock(&self->lock);
  for (; self->taken < record->trials->len; self->taken++)
    g_ptr_array_add(self->fresh, ms_trial_copy(record->trials->pdata[self->taken]));
  self->fresh_fraction = fraction;
  self->fresh_space = record->space_size;
  gboolean post = !self->posted;
  self->posted = TRUE;
  g_mutex_unlock(&self->lock);
  if (post)
    g_timeout_add_full(G_PRIORITY_DEFAULT, 100, deliver, g_object_ref(self), g_object_unref);
}

static MsFactors *
problem_of(const MsSettings *settings)
{
  MsFactors *problem = ms_factors_new();
  const MsOptionInfo *table = ms_options.rows;

  for (guint i = 0; i < ms_options.n_rows; i++) {
    g_autofree char *value = ms_option_get_text(&table[i], settings);
    if (table[i].group == MS_OPTION_GROUP_FILTER)
      ms_factors_set(problem, table[i].name, value);
  }
  return problem;
}

/* The end of the budget is not an error. */
static void
ms_tune_job_work(MsPanelJob *job, GTask *task, MsContext *context, GCancellable *cancellable)
{
  MsTuneJob *self = MS_TUNE_JOB(job);
  g_autoptr(MsFactors) problem = problem_of(&self->spec.settings);
  g_autoptr(GError) error = NULL;
  MsLabTuneRequest request;

  ms_lab_tune_request_init(&request, context);
  request.image = self->spec.image;
  request.width = ms_image_get_width(self->spec.image);
  request.height = ms_image_get_height(self->spec.image);
  request.fixed = problem;
  request.strategy = self->spec.strategy;
  request.budget_s = self->spec.budget_s;
  request.fresh = self->spec.fresh;
  request.directory = self->directory;
  request.progress = on_trial;
  request.progress_data = self;
  g_autoptr(MsTuneRecord) record = ms_lab_tune(&request, cancellable, &error);
  if (record)
    on_trial(record, NULL, 1, self);
  if (error)
    g_task_return_error(task, g_steal_pointer(&error));
  else
    g_task_return_boolean(task, TRUE);
}

static void
ms_tune_job_take(MsPanelJob *job, GTask *task, GError **error)
{
  g_task_propagate_boolean(task, error);
  take_fresh(MS_TUNE_JOB(job));
}

static void
ms_tune_job_class_init(MsTuneJobClass *klass)
{
  G_OBJECT_CLASS(klass)->finalize = ms_tune_job_finalize;
  MS_PANEL_JOB_CLASS(klass)->work = ms_tune_job_work;
  MS_PANEL_JOB_CLASS(klass)->take = ms_tune_job_take;
}

static void
ms_tune_job_init(MsTuneJob *self)
{
  g_mutex_init(&self->lock);
  self->trials = g_ptr_array_new_with_free_func((GDestroyNotify)ms_trial_free);
  self->fresh = g_ptr_array_new_with_free_func((GDestroyNotify)ms_trial_free);
}

/** ms_tune_job_start: (transfer full): the running search, which keeps a reference to itself until it emits "ended". */
MsTuneJob *
ms_tune_job_start(const MsTuneJobSpec *spec)
{
  MsTuneJob *self = g_object_new(MS_TYPE_TUNE_JOB, NULL);

  self->spec = *spec;
  self->spec.image = g_object_ref(spec->image);
  self->directory = g_strdup(spec->directory);
  ms_panel_job_start(MS_PANEL_JOB(self), spec->device, spec->engine);
  return self;
}

/** ms_tune_job_get_trials: (transfer none) (element-type MsTrial): in chronological order */
GPtrArray *
ms_tune_job_get_trials(MsTuneJob *self)
{
  return self->trials;
}

/** ms_tune_job_get_best: (transfer none) (nullable): the fastest so far */
const MsTrial *
ms_tune_job_get_best(MsTuneJob *self)
{
  const MsTrial *best = NULL;

  for (guint i = 0; i < self->trials->len; i++) {
    const MsTrial *trial = self->trials->pdata[i];
    if (trial->outcome == MS_OUTCOME_OK && (!best || trial->ns < best->ns))
      best = trial;
  }
  return best;
}

guint64
ms_tune_job_get_space_size(MsTuneJob *self)
{
  return self->space_size;
}

/** ms_tune_job_chart: (transfer full): the best time over the number of measured configurations */
MsChart *
ms_tune_job_chart(MsTuneJob *self)
{
  MsChart *chart = ms_chart_new(MS_CHART_LINES, _("Search for the fastest configuration"));
  guint fastest = ms_chart_add_series(chart, _("fastest so far"), FALSE), n = 0;
  double best = INFINITY;

  ms_chart_set_x_axis(chart, _("configurations measured"), FALSE);
  ms_chart_set_y_axis(chart, _("median time, ms"), FALSE);
  for (guint i = 0; i < self->trials->len; i++) {
    const MsTrial *trial = self->trials->pdata[i];
    if (trial->outcome != MS_OUTCOME_OK)
      continue;
    n++;
    if (trial->ns < best || i + 1 == self->trials->len) {
      best = MIN(best, trial->ns);
      ms_chart_add_point(chart, fastest, (MsChartPoint){n, best * 1e-6, NAN, NAN});
    }
  }
  return chart;
}
