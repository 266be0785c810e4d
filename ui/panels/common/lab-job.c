/* SPDX-License-Identifier: MIT */
#include "ui/panels/common/lab-job.h"

/* Minimum time between two copies of the report for the main loop. */
#define REPORT_US (300 * 1000)

struct _MsLabJob {
  MsPanelJob parent_instance;
  MsExperiment *experiment;
  MsImage *image;
  char *input;
  gboolean quick;
  guint repeats;
  MsReport *report; /* (nullable) */
  char *message;
  gint64 reported_us; /* used by the measuring thread only */
};

G_DEFINE_FINAL_TYPE(MsLabJob, ms_lab_job, MS_TYPE_PANEL_JOB)

static void
ms_lab_job_finalize(GObject *object)
{
  MsLabJob *self = MS_LAB_JOB(object);

  g_clear_pointer(&self->experiment, ms_experiment_unref);
  g_clear_object(&self->image);
  g_clear_pointer(&self->report, ms_report_unref);
  g_free(self->input);
  g_free(self->message);
  G_OBJECT_CLASS(ms_lab_job_parent_class)->finalize(object);
}

/* A progress message from the measuring thread to the main loop. */
typedef struct {
  MsLabJob *job;
  MsReport *report;
  double fraction;
  char *message;
} News;

static void
free_news(gpointer data)
{
  News *news = data;

  g_object_unref(news->job);
  g_clear_pointer(&news->report, ms_report_unref);
  g_free(news->message);
  g_free(news);
}

static void
take_report(MsLabJob *self, MsReport *report)
{
  if (!report)
    return;
  g_clear_pointer(&self->report, ms_report_unref);
  self->report = report;
}

static gboolean
deliver(gpointer data)
{
  News *news = data;
  MsLabJob *self = news->job;

  if (!ms_panel_job_is_running(MS_PANEL_JOB(self)) || ms_panel_job_is_cancelled(MS_PANEL_JOB(self)))
    return G_SOURCE_REMOVE;
  take_report(self, g_steal_pointer(&news->report));
  g_free(self->message);
  self->message = g_steal_pointer(&news->message);
  ms_panel_job_set_fraction(MS_PANEL_JOB(self), news->fraction);
  ms_panel_job_report_progress(MS_PANEL_JOB(self));
  return G_SOURCE_REMOVE;
}

static void
on_progress(const MsReport *report, const MsReportRow *row, double fraction, const char *message, gpointer data)
{
  MsLabJob *self = data;
  gint64 now = g_get_monotonic_time();

  if (now - self->reported_us < REPORT_US)
    return;
  News *news = g_new0(News, 1);
  news->job = g_object_ref(self);
  news->report = report ? ms_report_snapshot(report) : NULL;
  news->fraction = fraction;
  news->message = g_strdup(message ? message : row ? row->label : "");
  g_idle_add_full(G_PRIORITY_DEFAULT, deliver, news, free_news);
  self->reported_us = g_get_monotonic_time();
}

static void
ms_lab_job_work(MsPanelJob *job, GTask *task, MsContext *context, GCancellable *cancellable)
{
  MsLabJob *self = MS_LAB_JOB(job);
  g_autoptr(GError) error = NULL;
  MsLabRequest request;

  ms_lab_request_init(&request, context, self->quick);
  request.image = self->image;
  request.input = self->input;
  request.progress = on_progress;
  request.progress_data = self;
  if (self->repeats > 0)
    request.measure.min_repeats = request.measure.max_repeats = self->repeats;
  g_autoptr(MsReport) report = ms_lab_run_experiment(self->experiment, &request, cancellable, &error);
  if (report)
    g_task_return_pointer(task, g_steal_pointer(&report), (GDestroyNotify)ms_report_unref);
  else
    g_task_return_error(task, g_steal_pointer(&error));
}

static void
ms_lab_job_take(MsPanelJob *job, GTask *task, GError **error)
{
  MsReport *report = g_task_propagate_pointer(task, error);

  if (!report)
    return;
  ms_panel_job_set_fraction(job, 1);
  take_report(MS_LAB_JOB(job), report);
}

static void
ms_lab_job_class_init(MsLabJobClass *klass)
{
  G_OBJECT_CLASS(klass)->finalize = ms_lab_job_finalize;
  MS_PANEL_JOB_CLASS(klass)->work = ms_lab_job_work;
  MS_PANEL_JOB_CLASS(klass)->take = ms_lab_job_take;
}

static void
ms_lab_job_init(MsLabJob *self)
{
}

/** ms_lab_job_start: (transfer full): the running job, which keeps a reference to itself until it emits "ended". */
MsLabJob *
ms_lab_job_start(const MsLabJobSpec *spec)
{
  MsLabJob *self = g_object_new(MS_TYPE_LAB_JOB, NULL);

  self->experiment = ms_experiment_ref(spec->experiment);
  self->image = spec->image ? g_object_ref(spec->image) : NULL;
  self->input = g_strdup(spec->input);
  self->quick = spec->quick;
  self->repeats = spec->repeats;
  ms_panel_job_start(MS_PANEL_JOB(self), spec->device, spec->engine);
  return self;
}

/** ms_lab_job_get_report: (transfer none) (nullable): a copy of the results so far, which does not change */
MsReport *
ms_lab_job_get_report(MsLabJob *self)
{
  return self->report;
}

const char *
ms_lab_job_get_message(MsLabJob *self)
{
  return self->message ? self->message : "";
}
