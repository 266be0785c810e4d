/* SPDX-License-Identifier: MIT */
#include "core/lab/measure/measure.h"

#include <math.h>

#include "core/error.h"
#include "core/engine/watchdog.h"
#include "core/lab/measure/clock.h"

#define MAX_REJECTED_IN_A_ROW 10
#define ENERGY_REGION_S 1.0

/* The state of one configuration during ms_measure(). */
typedef struct {
  guint index;
  MsSubject *subject;
  MsMeasurement *measurement;
  double spent_s;
  double wall_ns; /* of the last run */
  guint rejected_in_a_row;
  gboolean prepared;
  gboolean active;
} Runner;

typedef struct {
  Runner *runners;
  guint n;
  const MsMeasureOptions *options;
  MsMeasureProgress progress;
  gpointer data;
  GCancellable *cancellable;
  GRand *random;
  guint *order; /* of the current round, or of the even round before it */
  guint round;
  guint next_check; /* the round after which the comparisons are looked at again */
} Campaign;

static guint64
now_ns(const Campaign *campaign)
{
  const MsMeasureOptions *o = campaign->options;

  return o->clock ? o->clock(o->clock_data) : ms_clock_now_ns();
}

/**
 * ms_measure_options_init:
 * @quick: fewer samples in less time
 *
 * 1 % noise, one warm-up, 5 to 200 samples, 3 s of running time a configuration; quick: 3 to 30 samples in 0.25 s.
 */
void
ms_measure_options_init(MsMeasureOptions *options, gboolean quick)
{
  *options = (MsMeasureOptions){.noise = 0.01,
                                .budget_s = quick ? 0.25 : 3.0,
                                .timeout_s = quick ? 120.0 : 600.0,
                                .warm_up = 1,
                                .min_repeats = 5,
                                .max_repeats = quick ? 30 : 200,
                                .seed = 1};
}

static void
fail_runner(Runner *runner, const GError *error, gboolean timed_out, double timeout_s)
{
  runner->active = FALSE;
  if (timed_out) {
    g_autofree char *text =
      g_strdup_printf("%s did not end within %.3g s and was cancelled.", runner->subject->label, timeout_s);
    ms_measurement_fail(runner->measurement, MS_OUTCOME_TIMEOUT, text);
  } else {
    ms_measurement_fail(runner->measurement, ms_outcome_from_error(error), error->message);
  }
}

typedef gboolean (*Step)(Campaign *campaign, Runner *runner, gpointer data, GCancellable *cancellable, GError **error);

/*
 * Runs a step under the watchdog. A failing step ends the configuration; only the caller's cancellation ends the whole
 * measurement.
 */
static gboolean
guarded(Campaign *campaign, Runner *runner, Step step, gpointer data, GError **error)
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
step_prepare(Campaign *campaign, Runner *runner, gpointer data, GCancellable *cancellable, GError **error)
{
  guint64 start = now_ns(campaign);
  gboolean good = runner->subject->funcs->prepare(runner->subject, cancellable, error);

  runner->prepared = good;
  runner->measurement->prepare_ns = (double)(now_ns(campaign) - start);
  return good;
}

static gboolean
step_run(Campaign *campaign, Runner *runner, gpointer data, GCancellable *cancellable, GError **error)
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

static gboolean
step_verify(Campaign *campaign, Runner *runner, gpointer data, GCancellable *cancellable, GError **error)
{
  MsVerification *v = &runner->measurement->verification;

  ms_verification_clear(v);
  if (!runner->subject->funcs->verify(runner->subject, v, cancellable, error))
    return FALSE;
  v->done = TRUE;
  if (v->mismatches == 0)
    return TRUE;
  g_set_error(error, MS_ERROR, MS_ERROR_MISMATCH,
              "%s is wrong: %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " differ from %s, by %g at most.",
              runner->subject->label, v->mismatches, v->total, v->against ? v->against : "the reference",
              v->max_difference);
  return FALSE;
}

static gboolean
take_sample(Campaign *campaign, Runner *runner, MsSample *sample, double *into, GError **error)
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
    runner->active = FALSE;
    ms_measurement_fail(runner->measurement, MS_OUTCOME_RUN,
                        "The device keeps reporting events that end before they start; its times cannot be used.");
  }
  return TRUE;
}

/* A search does not need an exact time of a slow configuration, so its first run is kept as the only sample. */
static void
give_up_if_slow(Campaign *campaign, Runner *runner)
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

/* Builds, runs once, verifies that run and warms up. */
static gboolean
open_runner(Campaign *campaign, Runner *runner, MsSample *sample, GError **error)
{
  double ignored;

  if (!guarded(campaign, runner, step_prepare, NULL, error))
    return FALSE;
  if (runner->active && !take_sample(campaign, runner, sample, &runner->measurement->first_ns, error))
    return FALSE;
  runner->measurement->first_wall_ns = runner->active ? runner->wall_ns : NAN;
  if (runner->active && !guarded(campaign, runner, step_verify, NULL, error))
    return FALSE;
  give_up_if_slow(campaign, runner);
  double first_s = runner->spent_s;
  for (guint i = 0; i < campaign->options->warm_up && runner->active && first_s < campaign->options->budget_s; i++)
    if (!take_sample(campaign, runner, sample, &ignored, error))
      return FALSE;
  runner->spent_s = 0;
  runner->measurement->work = runner->subject->work;
  return TRUE;
}

static gboolean
is_anchor(const Campaign *campaign, const Runner *runner)
{
  return campaign->options->anchored && runner->index + 1 == campaign->n;
}

/* Whether the configuration has used its budget; a slow one stops after its first sample. */
static gboolean
is_spent(const Campaign *campaign, const Runner *runner)
{
  const MsMeasureOptions *o = campaign->options;
  guint n = runner->measurement->samples->len;

  if (is_anchor(campaign, runner))
    return FALSE;
  if (n >= o->max_repeats || runner->spent_s >= 4 * o->budget_s)
    return n > 0;
  return n >= o->min_repeats && runner->spent_s >= o->budget_s;
}

/* Whether the verdict is reached, or the baseline runs no more so that further samples cannot help. */
static gboolean
is_decided(const Campaign *campaign, const Runner *runner)
{
  const MsMeasureOptions *o = campaign->options;
  guint index = o->baselines ? o->baselines[runner->index] : 0;

  if (index == runner->index || index >= campaign->n || !campaign->runners[index].active)
    return TRUE;
  MsTimes baseline = ms_measurement_times(campaign->runners[index].measurement);
  MsTimes candidate = ms_measurement_times(runner->measurement);
  return ms_speedup_side_by_side(&baseline, &candidate, o->noise).verdict != MS_VERDICT_UNCERTAIN;
}

static gboolean
is_settled(const Campaign *campaign, const Runner *runner)
{
  const MsMeasureOptions *o = campaign->options;

  return !runner->active || is_anchor(campaign, runner) ||
         (runner->measurement->samples->len >= o->min_repeats &&
          ms_measurement_summarise(runner->measurement).spread < o->noise && is_decided(campaign, runner));
}

/*
 * All configurations stay until every comparison is settled: what leaves early would be compared with samples of
 * another time. Comparisons are judged after 5, 7, 9, 12, … rounds, because each judging risks a false verdict.
 */
static gboolean
all_settled(Campaign *campaign)
{
  if (campaign->round + 1 < campaign->next_check)
    return FALSE;
  campaign->next_check = (campaign->round + 1) * 5 / 4 + 1;
  for (guint i = 0; i < campaign->n; i++)
    if (!is_settled(campaign, &campaign->runners[i]))
      return FALSE;
  return TRUE;
}

/* The last run is verified as the first was, because a race shows only in some runs. */
static gboolean
close_runner(Campaign *campaign, Runner *runner, GError **error)
{
  runner->measurement->work = runner->subject->work;
  if (!guarded(campaign, runner, step_verify, NULL, error))
    return FALSE;
  if (runner->active)
    runner->measurement->outcome = MS_OUTCOME_OK;
  runner->active = FALSE;
  return TRUE;
}

/* A configuration that still runs is never counted as a whole, whatever it has spent. */
static double
share_done(const Campaign *campaign, const Runner *runner)
{
  if (!runner->active)
    return runner->measurement->outcome == MS_OUTCOME_PENDING ? 0.0 : 1.0;
  return MIN(runner->spent_s / MAX(campaign->options->budget_s, 1e-9), 0.99);
}

static void
report_progress(Campaign *campaign, const Runner *runner)
{
  guint n = campaign->n - (campaign->options->anchored ? 1 : 0);
  double done = 0;

  if (!campaign->progress || is_anchor(campaign, runner))
    return;
  for (guint i = 0; i < n; i++)
    done += share_done(campaign, &campaign->runners[i]);
  campaign->progress(done / n, runner->index, runner->measurement, campaign->data);
}

static void
shuffle(guint *order, guint n, GRand *random)
{
  for (guint i = n; i > 1; i--) {
    guint j = (guint)g_rand_int_range(random, 0, (gint32)i);
    guint swap = order[i - 1];
    order[i - 1] = order[j];
    order[j] = swap;
  }
}

/* Even rounds have a random order, odd ones the reverse of it, so that a steady drift cancels in the two. */
static void
choose_order(Campaign *campaign)
{
  for (guint i = 0; i < campaign->n / 2 && campaign->round % 2 == 1; i++) {
    guint swap = campaign->order[i];
    campaign->order[i] = campaign->order[campaign->n - 1 - i];
    campaign->order[campaign->n - 1 - i] = swap;
  }
  if (campaign->round % 2 == 0)
    shuffle(campaign->order, campaign->n, campaign->random);
}

static gboolean
anything_active(const Campaign *campaign)
{
  for (guint i = 0; i < campaign->n; i++)
    if (campaign->runners[i].active && !is_anchor(campaign, &campaign->runners[i]))
      return TRUE;
  return FALSE;
}

/* Ends the configurations that are done: those whose budget is spent, and all of them once all are settled. */
static gboolean
close_finished(Campaign *campaign, GError **error)
{
  gboolean all = all_settled(campaign);

  for (guint i = 0; i < campaign->n; i++) {
    Runner *runner = &campaign->runners[i];
    if (!runner->active || (!all && !is_spent(campaign, runner)))
      continue;
    if (!close_runner(campaign, runner, error))
      return FALSE;
    report_progress(campaign, runner);
  }
  return TRUE;
}

/* One run of every configuration that is not done. */
static gboolean
run_round(Campaign *campaign, MsSample *sample, GError **error)
{
  choose_order(campaign);
  for (guint i = 0; i < campaign->n; i++) {
    Runner *runner = &campaign->runners[campaign->order[i]];
    if (!runner->active)
      continue;
    if (!take_sample(campaign, runner, sample, NULL, error))
      return FALSE;
    report_progress(campaign, runner);
  }
  return close_finished(campaign, error);
}

/* The anchor ends with the last configuration. */
static gboolean
run_rounds(Campaign *campaign, MsSample *sample, GError **error)
{
  for (campaign->round = 0; anything_active(campaign); campaign->round++)
    if (!run_round(campaign, sample, error))
      return FALSE;
  for (guint i = 0; i < campaign->n; i++)
    if (campaign->runners[i].active && !close_runner(campaign, &campaign->runners[i], error))
      return FALSE;
  return TRUE;
}

/* Counters update slowly, so energy is measured over a second of runs of one configuration, apart from the timing. */
static gboolean
measure_energy(Campaign *campaign, Runner *runner, MsSample *sample, GError **error)
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

static gboolean
run_campaign(Campaign *campaign, GError **error)
{
  g_autoptr(GArray) events = g_array_new(FALSE, TRUE, sizeof(MsLabEvent));
  MsSample sample = {-1, events};

  for (guint i = 0; i < campaign->n; i++) {
    if (campaign->runners[i].active && !open_runner(campaign, &campaign->runners[i], &sample, error))
      return FALSE;
    report_progress(campaign, &campaign->runners[i]);
  }
  if (!run_rounds(campaign, &sample, error))
    return FALSE;
  if (campaign->options->energy && ms_energy_available(campaign->options->energy))
    for (guint i = 0; i < campaign->n; i++)
      if (campaign->runners[i].measurement->outcome == MS_OUTCOME_OK && campaign->runners[i].prepared &&
          !is_anchor(campaign, &campaign->runners[i]) &&
          !measure_energy(campaign, &campaign->runners[i], &sample, error))
        return FALSE;
  return TRUE;
}

/**
 * ms_measure:
 * @subjects: (array length=n): the configurations; all are prepared first, so that their runs can be interleaved
 * @measurements: (array length=n): one for each subject; those whose outcome is not PENDING are not changed
 * @options: noise, budgets and seed
 * @progress: (nullable): called after every run
 * @cancellable: (nullable): checked between runs; subjects may check it within a run
 *
 * Prepares, runs and verifies each, then repeats them in rounds, each configuration once a round in random order, until
 * all medians have the wanted spread and all comparisons are settled. A configuration whose budget is spent leaves
 * earlier. A failing configuration gets its outcome and is not run again.
 *
 * Returns: %FALSE only when cancelled; unfinished configurations are then PENDING
 */
gboolean
ms_measure(MsSubject **subjects, MsMeasurement **measurements, guint n, const MsMeasureOptions *options,
           MsMeasureProgress progress, gpointer data, GCancellable *cancellable, GError **error)
{
  g_autofree Runner *runners = g_new0(Runner, n);
  g_autofree guint *order = g_new(guint, n);
  g_autoptr(GRand) random = g_rand_new_with_seed(options->seed);
  Campaign campaign = {runners, n, options, progress, data, cancellable, random, order, 0, options->min_repeats};

  for (guint i = 0; i < n; i++) {
    order[i] = i;
    runners[i] = (Runner){.index = i, .subject = subjects[i], .measurement = measurements[i]};
    runners[i].active = measurements[i]->outcome == MS_OUTCOME_PENDING;
  }
  gboolean good = run_campaign(&campaign, error);
  for (guint i = 0; i < n; i++)
    if (runners[i].prepared && subjects[i]->funcs->release)
      subjects[i]->funcs->release(subjects[i]);
  return good;
}
