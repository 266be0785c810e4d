/* SPDX-License-Identifier: MIT */
#include "ui/panels/lab-job.h"

#include "ui/panels/job-hold.h"

/* A copy of the report for the main loop is made between two runs, and not more often than a person can follow. */
#define TELL_US (300 * 1000)

struct _MsLabJob {
  GObject parent_instance;
  MsExperiment *experiment;
  MsDevice *device;
  MsImage *image;
  char *input;
  gboolean quick;
  guint repeats;
  GCancellable *cancellable;
  GApplication *held; /* (nullable): while the thread runs */
  gboolean running;
  MsReport *report; /* (nullable) */
  double fraction;
  char *message;
  gint64 told_us; /* of the measuring thread alone */
};

G_DEFINE_FINAL_TYPE(MsLabJob, ms_lab_job, G_TYPE_OBJECT)

enum {
  SIGNAL_PROGRESSED,
  SIGNAL_ENDED,
  N_SIGNALS,
};

static guint signals[N_SIGNALS];

static void
ms_lab_job_finalize(GObject *object)
{
  MsLabJob *self = MS_LAB_JOB(object);

  g_clear_pointer(&self->experiment, ms_experiment_unref);
  g_clear_object(&self->device);
  g_clear_object(&self->image);
  g_clear_object(&self->cancellable);
  g_clear_pointer(&self->report, ms_report_unref);
  g_free(self->input);
  g_free(self->message);
  G_OBJECT_CLASS(ms_lab_job_parent_class)->finalize(object);
}

static void
ms_lab_job_class_init(MsLabJobClass *klass)
{
  G_OBJECT_CLASS(klass)->finalize = ms_lab_job_finalize;
  signals[SIGNAL_PROGRESSED] =
    g_signal_new("progressed", MS_TYPE_LAB_JOB, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[SIGNAL_ENDED] = g_signal_new("ended", MS_TYPE_LAB_JOB, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE,
                                       1, G_TYPE_ERROR);
}

static void
ms_lab_job_init(MsLabJob *self)
{
  self->cancellable = g_cancellable_new();
}

/**
 * ms_lab_job_snapshot:
 *
 * Returns: (transfer full) (nullable): a copy that stays as it is while the measuring thread goes on with @report
 */
MsReport *
ms_lab_job_snapshot(const MsReport *report)
{
  g_autofree char *json = ms_report_to_json(report);
  g_autoptr(GError) error = NULL;
  MsReport *copy = ms_report_from_json(json, -1, &error);

  if (!copy)
    g_debug("A report could not be copied: %s", error->message);
  else
    ms_report_rank(copy);
  return copy;
}

/* News on its way from the measuring thread to the main loop. */
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

  if (!self->running || g_cancellable_is_cancelled(self->cancellable))
    return G_SOURCE_REMOVE;
  take_report(self, g_steal_pointer(&news->report));
  self->fraction = news->fraction;
  g_free(self->message);
  self->message = g_steal_pointer(&news->message);
  g_signal_emit(self, signals[SIGNAL_PROGRESSED], 0);
  return G_SOURCE_REMOVE;
}

static void
on_progress(const MsReport *report, const MsReportRow *row, double fraction, const char *message, gpointer data)
{
  MsLabJob *self = data;
  gint64 now = g_get_monotonic_time();

  if (now - self->told_us < TELL_US)
    return;
  News *news = g_new0(News, 1);
  news->job = g_object_ref(self);
  news->report = report ? ms_lab_job_snapshot(report) : NULL;
  news->fraction = fraction;
  news->message = g_strdup(message ? message : row ? row->label : "");
  g_idle_add_full(G_PRIORITY_DEFAULT, deliver, news, free_news);
  self->told_us = g_get_monotonic_time();
}

static void
measure(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  MsLabJob *self = source;
  g_autoptr(GError) error = NULL;
  g_autoptr(MsContext) context = ms_context_new(self->device, &error);
  MsLabRequest request;

  if (!context) {
    g_task_return_error(task, g_steal_pointer(&error));
    return;
  }
  ms_context_set_watchdog(context, MS_JOB_WATCHDOG_MS);
  ms_lab_request_init(&request, context, self->quick);
  request.image = self->image;
  request.input = self->input;
  request.progress = on_progress;
  request.progress_data = self;
  if (self->repeats > 0)
    request.measure.min_repeats = request.measure.max_repeats = self->repeats;
  g_autoptr(MsReport) report = ms_lab_run_experiment(self->experiment, &request, cancellable, &error);
  if (report)
    g_task_return_pointer(task, ms_lab_job_snapshot(report), (GDestroyNotify)ms_report_unref);
  else
    g_task_return_error(task, g_steal_pointer(&error));
}

static void
on_measured(GObject *source, GAsyncResult *result, gpointer data)
{
  MsLabJob *self = MS_LAB_JOB(source);
  g_autoptr(GError) error = NULL;
  MsReport *report = g_task_propagate_pointer(G_TASK(result), &error);

  self->running = FALSE;
  self->fraction = report ? 1 : self->fraction;
  take_report(self, report);
  g_signal_emit(self, signals[SIGNAL_ENDED], 0, error);
  ms_job_release(g_steal_pointer(&self->held));
}

/** ms_lab_job_start: (transfer full): the job under way; it keeps itself alive until "ended" was emitted. */
MsLabJob *
ms_lab_job_start(const MsLabJobSpec *spec)
{
  MsLabJob *self = g_object_new(MS_TYPE_LAB_JOB, NULL);

  self->experiment = ms_experiment_ref(spec->experiment);
  self->device = g_object_ref(spec->device);
  self->image = spec->image ? g_object_ref(spec->image) : NULL;
  self->input = g_strdup(spec->input);
  self->quick = spec->quick;
  self->repeats = spec->repeats;
  self->running = TRUE;
  self->held = ms_job_hold();
  g_autoptr(GTask) task = g_task_new(self, self->cancellable, on_measured, NULL);
  /* What was measured before the cancelling is worth keeping. */
  g_task_set_check_cancellable(task, FALSE);
  g_task_run_in_thread(task, measure);
  return self;
}

/** ms_lab_job_cancel: ends the measuring after the band that runs; what is known so far stays. */
void
ms_lab_job_cancel(MsLabJob *self)
{
  g_cancellable_cancel(self->cancellable);
}

gboolean
ms_lab_job_is_running(MsLabJob *self)
{
  return self->running;
}

/** ms_lab_job_get_report: (transfer none) (nullable): what is known so far, a copy that does not change */
MsReport *
ms_lab_job_get_report(MsLabJob *self)
{
  return self->report;
}

double
ms_lab_job_get_fraction(MsLabJob *self)
{
  return self->fraction;
}

const char *
ms_lab_job_get_message(MsLabJob *self)
{
  return self->message ? self->message : "";
}
