/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include "core/lab/measure/measure-private.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#include "core/error.h"
#include "core/language.h"
#include "core/lab/measure/clock.h"

#define MAX_REJECTED_IN_A_ROW 10
#define ENERGY_REGION_S 1.0

/* How much longer than the time of the measurement the step may take that is not ended by then. */
#define STEP_GRACE_S 1.0

static guint64
now_ns(const MsMeasureCampaign *campaign)
{
  const MsMeasureOptions *o = campaign->options;

  return o->clock ? o->clock(o->clock_data) : ms_clock_now_ns();
}

/* Ends a configuration, whose outcome is set. */
static void
end_runner(MsMeasureCampaign *campaign, MsMeasureRunner *runner)
{
  runner->active = FALSE;
  ms_lab_journal_finish(campaign->options->journal, runner->subject->key, runner->measurement);
}

static void
fail_runner(MsMeasureCampaign *campaign, MsMeasureRunner *runner, const GError *error)
{
  ms_measurement_fail_with(runner->measurement, error);
  end_runner(campaign, runner);
}

static double
seconds_left(const MsMeasureCampaign *campaign)
{
  const double time_s = campaign->options->time_s;

  return time_s > 0 ? time_s - (double)(g_get_monotonic_time() - campaign->started_us) * 1e-6 : INFINITY;
}

/* How long the process that watches this one lets a step run; 0 for no limit. */
static double
step_limit(const MsMeasureCampaign *campaign, double left_s)
{
  const double step_s = campaign->options->step_s;

  return isfinite(left_s) ? left_s + STEP_GRACE_S : step_s;
}

typedef gboolean (*Step)(MsMeasureCampaign *campaign, MsMeasureRunner *runner, gpointer data, GCancellable *cancellable,
                         GError **error);

/*
 * Runs a step, which the journal names if it never ends. A failing step ends the configuration; only the caller's
 * cancellation ends the whole measurement.
 */
static gboolean
guarded(MsMeasureCampaign *campaign, MsMeasureRunner *runner, Step step, gpointer data, GError **error)
{
  MsLabJournal *journal = campaign->options->journal;
  const double left_s = seconds_left(campaign);
  g_autoptr(GError) local = NULL;

  if (g_cancellable_set_error_if_cancelled(campaign->cancellable, error))
    return FALSE;
  if (left_s > 0) {
    ms_lab_journal_begin(journal, runner->subject->key, step_limit(campaign, left_s));
    step(campaign, runner, data, campaign->cancellable, &local);
    ms_lab_journal_end(journal);
  } else {
    ms_set_error(&local, MS_ERROR_TIMEOUT, "%s did not end within %.3g s and was cancelled.", runner->subject->label,
                 campaign->options->time_s);
  }
  if (g_cancellable_set_error_if_cancelled(campaign->cancellable, error))
    return FALSE;
  if (local)
    fail_runner(campaign, runner, local);
  return TRUE;
}

static gboolean
step_prepare(MsMeasureCampaign *campaign, MsMeasureRunner *runner, gpointer data, GCancellable *cancellable,
             GError **error)
{
  guint64 start = now_ns(campaign);
  gboolean good = runner->subject->funcs->prepare(runner->subject, cancellable, error);

  runner->prepared = good;
  runner->measurement->prepare_ns = (double)(now_ns(campaign) - start);
  return good;
}

static gboolean
step_run(MsMeasureCampaign *campaign, MsMeasureRunner *runner, gpointer data, GCancellable *cancellable, GError **error)
{
  MsSample *sample = data;
  guint64 start = now_ns(campaign);

  sample->ns = -1;
  g_array_set_size(sample->events, 0);
  gboolean good = runner->subject->funcs->run(runner->subject, sample, cancellable, error);
  runner->wall_ns = (double)(now_ns(campaign) - start);
  runner->spent_s += runner->wall_ns * 1e-9;
  return good;
}

static char *
describe_mismatch(const MsMeasureRunner *runner, MsLanguage language)
{
  const MsVerification *v = &runner->measurement->verification;
  const char *against = ms_text(language, v->against ? v->against : N_("the reference"));

  return g_strdup_printf(ms_text(language, "%s is wrong: %" PRIu64 " of %" PRIu64 " differ from %s, by %g at most."),
                         runner->subject->label, v->mismatches, v->total, against, v->max_difference);
}

static gboolean
step_verify(MsMeasureCampaign *campaign, MsMeasureRunner *runner, gpointer data, GCancellable *cancellable,
            GError **error)
{
  MsVerification *v = &runner->measurement->verification;

  ms_verification_clear(v);
  if (!runner->subject->funcs->verify(runner->subject, v, cancellable, error))
    return FALSE;
  v->done = TRUE;
  if (v->mismatches == 0)
    return TRUE;
  ms_error_take(error, MS_ERROR_MISMATCH, describe_mismatch(runner, MS_LANGUAGE_USER),
                describe_mismatch(runner, MS_LANGUAGE_ENGLISH));
  return FALSE;
}

static void
keep_sample(MsMeasureCampaign *campaign, MsMeasureRunner *runner, const MsSample *sample)
{
  ms_measurement_keep(runner->measurement, sample, runner->wall_ns, campaign->round);
  ms_lab_journal_keep(campaign->options->journal, runner->subject->key, sample, runner->wall_ns, campaign->round);
}

/**
 * ms_measure_take_sample:
 * @into: (out) (nullable): the time of the run in nanoseconds; %NULL keeps it as a sample of the measurement
 *
 * Runs once. A run whose events end before they start is counted as rejected and not used.
 *
 * Returns: %FALSE only when cancelled
 */
gboolean
ms_measure_take_sample(MsMeasureCampaign *campaign, MsMeasureRunner *runner, MsSample *sample, double *into,
                       GError **error)
{
  if (!guarded(campaign, runner, step_run, sample, error))
    return FALSE;
  if (!runner->active)
    return TRUE;
  if (ms_sample_settle(sample)) {
    runner->rejected_in_a_row = 0;
    if (into)
      *into = sample->ns;
    else
      keep_sample(campaign, runner, sample);
    return TRUE;
  }
  runner->measurement->rejected++;
  if (++runner->rejected_in_a_row >= MAX_REJECTED_IN_A_ROW) {
    g_autoptr(GError) problem = NULL;
    ms_set_error_literal(&problem, MS_ERROR_DEVICE,
                         "The device keeps reporting events that end before they start; its times cannot be used.");
    fail_runner(campaign, runner, problem);
  }
  return TRUE;
}

/* A search does not need an exact time of a slow configuration, so its first run is kept as the only sample. */
static void
give_up_if_slow(MsMeasureCampaign *campaign, MsMeasureRunner *runner)
{
  MsMeasurement *m = runner->measurement;

  if (!runner->active || campaign->options->give_up_ns <= 0 || m->first_ns <= campaign->options->give_up_ns)
    return;
  g_autoptr(GArray) none = g_array_new(FALSE, FALSE, sizeof(MsLabEvent));
  keep_sample(campaign, runner, &(MsSample){m->first_ns, none});
  m->work = runner->subject->work;
  m->outcome = MS_OUTCOME_OK;
  end_runner(campaign, runner);
}

static double
wall_seconds(const MsMeasurement *m)
{
  double ns = 0;

  for (guint i = 0; i < m->walls->len; i++)
    ns += g_array_index(m->walls, double, i);
  return ns * 1e-9;
}

/** ms_measure_open: builds, runs once, verifies that run and warms up. Returns: %FALSE only when cancelled. */
gboolean
ms_measure_open(MsMeasureCampaign *campaign, MsMeasureRunner *runner, MsSample *sample, GError **error)
{
  double ignored;

  if (!guarded(campaign, runner, step_prepare, NULL, error))
    return FALSE;
  if (runner->active && !ms_measure_take_sample(campaign, runner, sample, &runner->measurement->first_ns, error))
    return FALSE;
  runner->measurement->first_wall_ns = runner->active ? runner->wall_ns : NAN;
  if (runner->active && !guarded(campaign, runner, step_verify, NULL, error))
    return FALSE;
  give_up_if_slow(campaign, runner);
  double first_s = runner->spent_s;
  for (guint i = 0; i < campaign->options->warm_up && runner->active && first_s < campaign->options->budget_s; i++)
    if (!ms_measure_take_sample(campaign, runner, sample, &ignored, error))
      return FALSE;
  runner->spent_s = wall_seconds(runner->measurement); /* of an earlier process */
  runner->measurement->work = runner->subject->work;
  return TRUE;
}

/** ms_measure_is_anchor: whether the configuration is the anchor, which decides nothing. */
gboolean
ms_measure_is_anchor(const MsMeasureCampaign *campaign, const MsMeasureRunner *runner)
{
  return campaign->options->anchored && runner->index + 1 == campaign->n;
}

/**
 * ms_measure_close: ends a configuration. Its last run is verified as the first was, because a race shows only in some
 * runs. Returns: %FALSE only when cancelled.
 */
gboolean
ms_measure_close(MsMeasureCampaign *campaign, MsMeasureRunner *runner, GError **error)
{
  runner->measurement->work = runner->subject->work;
  if (!guarded(campaign, runner, step_verify, NULL, error))
    return FALSE;
  if (!runner->active)
    return TRUE;
  runner->measurement->outcome = MS_OUTCOME_OK;
  end_runner(campaign, runner);
  return TRUE;
}

/**
 * ms_measure_energy: reads the counter around a second of runs of one configuration, apart from the timing, because
 * counters update slowly. Returns: %FALSE only when cancelled.
 */
gboolean
ms_measure_energy(MsMeasureCampaign *campaign, MsMeasureRunner *runner, MsSample *sample, GError **error)
{
  MsEnergy *energy = campaign->options->energy;
  gint64 start = g_get_monotonic_time();
  double joules, seconds;
  guint runs = 0;

  ms_energy_begin(energy);
  do {
    if (!guarded(campaign, runner, step_run, sample, error))
      return FALSE;
    runs++;
  } while (runner->measurement->outcome == MS_OUTCOME_OK &&
           g_get_monotonic_time() - start < ENERGY_REGION_S * G_USEC_PER_SEC);
  joules = ms_energy_end(energy);
  seconds = (double)MAX(g_get_monotonic_time() - start, 1) / G_USEC_PER_SEC;
  runner->measurement->joules = joules / runs;
  runner->measurement->watts = joules / seconds;
  runner->measurement->energy_source = g_strdup(ms_energy_source(energy));
  ms_lab_journal_finish(campaign->options->journal, runner->subject->key, runner->measurement);
  return TRUE;
}
