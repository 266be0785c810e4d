/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include "core/lab/measure/measure-private.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#include "core/error.h"
#include "core/language.h"
#include "core/engine/watchdog.h"
#include "core/lab/measure/clock.h"

#define MAX_REJECTED_IN_A_ROW 10
#define ENERGY_REGION_S 1.0

static guint64
now_ns(const MsMeasureCampaign *campaign)
{
  const MsMeasureOptions *o = campaign->options;

  return o->clock ? o->clock(o->clock_data) : ms_clock_now_ns();
}

static void
fail_runner(MsMeasureRunner *runner, const GError *error, gboolean timed_out, double timeout_s)
{
  g_autoptr(GError) late = NULL;

  runner->active = FALSE;
  if (timed_out)
    ms_set_error(&late, MS_ERROR_TIMEOUT, "%s did not end within %.3g s and was cancelled.", runner->subject->label,
                 timeout_s);
  ms_measurement_fail_with(runner->measurement, timed_out ? late : error);
}

typedef gboolean (*Step)(MsMeasureCampaign *campaign, MsMeasureRunner *runner, gpointer data, GCancellable *cancellable,
                         GError **error);

/*
 * Runs a step under the watchdog. A failing step ends the configuration; only the caller's cancellation ends the whole
 * measurement.
 */
static gboolean
guarded(MsMeasureCampaign *campaign, MsMeasureRunner *runner, Step step, gpointer data, GError **error)
{
  g_autoptr(GError) local = NULL;
  gboolean fired;

  if (g_cancellable_set_error_if_cancelled(campaign->cancellable, error))
    return FALSE;
  {
    g_autoptr(MsWatchdog) dog = ms_watchdog_new(campaign->cancellable, campaign->options->timeout_s);
    step(campaign, runner, data, ms_watchdog_cancellable(dog), &local);
    fired = ms_watchdog_fired(dog);
  }
  if (g_cancellable_set_error_if_cancelled(campaign->cancellable, error))
    return FALSE;
  if (local)
    fail_runner(runner, local, fired && g_error_matches(local, G_IO_ERROR, G_IO_ERROR_CANCELLED),
                campaign->options->timeout_s);
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
      ms_measurement_keep(runner->measurement, sample, runner->wall_ns, campaign->round);
    return TRUE;
  }
  runner->measurement->rejected++;
  if (++runner->rejected_in_a_row >= MAX_REJECTED_IN_A_ROW) {
    g_autoptr(GError) problem = NULL;
    ms_set_error_literal(&problem, MS_ERROR_DEVICE,
                         "The device keeps reporting events that end before they start; its times cannot be used.");
    runner->active = FALSE;
    ms_measurement_fail_with(runner->measurement, problem);
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
  g_array_append_val(m->samples, m->first_ns);
  g_array_append_val(m->walls, m->first_wall_ns);
  g_array_append_val(m->rounds, campaign->round);
  m->work = runner->subject->work;
  m->outcome = MS_OUTCOME_OK;
  runner->active = FALSE;
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
  runner->spent_s = 0;
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
  if (runner->active)
    runner->measurement->outcome = MS_OUTCOME_OK;
  runner->active = FALSE;
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
  return TRUE;
}
