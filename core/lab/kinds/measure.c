/* SPDX-License-Identifier: MIT */
#include "core/lab/kinds/measure.h"

#include <glib/gi18n-lib.h>
#include <inttypes.h>
#include <math.h>

#include "core/error.h"
#include "core/language.h"

#define MAX_REJECTED_IN_A_ROW 10
#define ENERGY_REGION_S 1.0

/* How much longer than the time of the measurement the step may take that is not ended by then. */
#define STEP_GRACE_S 1.0

/* The state of one configuration. */
typedef struct {
  guint index;
  MsConfiguration *configuration;
  MsMeasurement *measurement;
  double spent_s;
  double wall_ns;     /* of the last run */
  MsMachineLoad load; /* before the first sample */
  guint rejected_in_a_row;
  gboolean prepared;
  gboolean active;
} Runner;

typedef struct {
  Runner *runners;
  guint n;
  const MsMeasureOptions *options;
  GCancellable *cancellable;
  GRand *random;
  gint64 started_us;
  MsSample sample;  /* the last run */
  guint *order;     /* of the current round, or of the even round before it */
  guint round;      /* the first is even */
  guint next_check; /* the round after which the comparisons are judged again */
} Campaign;

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
                                .step_s = quick ? 120.0 : 600.0,
                                .warm_up = 1,
                                .min_repeats = 5,
                                .max_repeats = quick ? 30 : 200,
                                .seed = 1};
}

static guint64
now_ns(const Campaign *campaign)
{
  const MsMeasureOptions *o = campaign->options;

  return o->clock ? o->clock(o->clock_data) : ms_clock_now_ns();
}

/* Ends a configuration. @error: (nullable): why it failed */
static void
end_runner(Campaign *campaign, Runner *runner, const GError *error)
{
  MsMeasurement *m = runner->measurement;

  if (error)
    ms_measurement_fail_with(m, error);
  else
    m->outcome = MS_OUTCOME_OK;
  if (m->samples->len > 0 && runner->load.all > 0) {
    ms_sensor_end(campaign->options->sensor, &m->conditions);
    m->conditions.foreign_load = ms_machine_load_of_others(&runner->load);
  }
  runner->active = FALSE;
  ms_lab_log_finish(campaign->options->log, runner->configuration->key, runner->measurement);
}

typedef gboolean (*Step)(Campaign *campaign, Runner *runner, GError **error);

/*
 * Runs a step, which the log names if it never ends. A failing step ends the configuration; only the caller's
 * cancellation ends the whole measurement, and returns FALSE here and in all that call it.
 */
static gboolean
guarded(Campaign *campaign, Runner *runner, Step step, GError **error)
{
  const MsMeasureOptions *o = campaign->options;
  const double left_s = o->time_s - (double)(g_get_monotonic_time() - campaign->started_us) * 1e-6;
  g_autoptr(GError) local = NULL;

  if (g_cancellable_set_error_if_cancelled(campaign->cancellable, error))
    return FALSE;
  if (o->time_s <= 0 || left_s > 0) {
    ms_lab_log_begin(o->log, runner->configuration->key, o->time_s > 0 ? left_s + STEP_GRACE_S : o->step_s);
    step(campaign, runner, &local);
    ms_lab_log_end(o->log);
  } else {
    ms_set_error(&local, MS_ERROR_TIMEOUT, "%s did not end within %g s and was cancelled.",
                 runner->configuration->label, o->time_s);
  }
  if (g_cancellable_set_error_if_cancelled(campaign->cancellable, error))
    return FALSE;
  if (local)
    end_runner(campaign, runner, local);
  return TRUE;
}

static gboolean
step_prepare(Campaign *campaign, Runner *runner, GError **error)
{
  guint64 start = now_ns(campaign);

  runner->prepared = ms_configuration_prepare(runner->configuration, campaign->cancellable, error);
  runner->measurement->prepare_ns = (double)(now_ns(campaign) - start);
  return runner->prepared;
}

static gboolean
step_run(Campaign *campaign, Runner *runner, GError **error)
{
  MsSample *sample = &campaign->sample;
  guint64 start = now_ns(campaign);

  sample->ns = -1;
  g_array_set_size(sample->events, 0);
  gboolean good = ms_configuration_run(runner->configuration, sample, campaign->cancellable, error);
  runner->wall_ns = (double)(now_ns(campaign) - start);
  runner->spent_s += runner->wall_ns * 1e-9;
  return good;
}

static char *
describe_mismatch(const Runner *runner, MsLanguage language)
{
  const MsVerification *v = &runner->measurement->verification;
  const char *against = ms_text(language, v->against ? v->against : N_("the reference"));

  return g_strdup_printf(ms_text(language, "%s is wrong: %" PRIu64 " of %" PRIu64 " differ from %s, by %g at most."),
                         runner->configuration->label, v->mismatches, v->total, against, v->max_difference);
}

static gboolean
step_verify(Campaign *campaign, Runner *runner, GError **error)
{
  MsVerification *v = &runner->measurement->verification;

  ms_verification_clear(v);
  if (!ms_configuration_check(runner->configuration, v, campaign->cancellable, error))
    return FALSE;
  v->done = TRUE;
  if (v->mismatches == 0)
    return TRUE;
  ms_error_take(error, MS_ERROR_MISMATCH, describe_mismatch(runner, MS_LANGUAGE_USER),
                describe_mismatch(runner, MS_LANGUAGE_ENGLISH));
  return FALSE;
}

/* What an earlier process learnt of the kernels was restored with the rest. */
static gboolean
step_describe(Campaign *campaign, Runner *runner, GError **error)
{
  if (runner->measurement->kernels->len == 0)
    ms_configuration_describe(runner->configuration, runner->measurement->kernels);
  return TRUE;
}

static void
keep_sample(Campaign *campaign, Runner *runner, const MsSample *sample)
{
  ms_measurement_keep(runner->measurement, sample, runner->wall_ns, campaign->round);
  ms_lab_log_keep(campaign->options->log, runner->configuration->key, sample, runner->wall_ns, campaign->round);
}

/*
 * Runs once, and keeps that run as a sample if @keep. A run whose events end before they start is counted as rejected
 * and not used.
 */
static gboolean
take_sample(Campaign *campaign, Runner *runner, gboolean keep, GError **error)
{
  if (!guarded(campaign, runner, step_run, error))
    return FALSE;
  if (!runner->active)
    return TRUE;
  if (ms_sample_settle(&campaign->sample)) {
    runner->rejected_in_a_row = 0;
    if (keep)
      keep_sample(campaign, runner, &campaign->sample);
    return TRUE;
  }
  campaign->sample.ns = NAN;
  runner->measurement->rejected++;
  if (++runner->rejected_in_a_row >= MAX_REJECTED_IN_A_ROW) {
    g_autoptr(GError) problem = NULL;
    ms_set_error_literal(
      &problem, MS_ERROR_DEVICE,
      "The driver's events do not say how long commands ran, so that there are no times of this device.");
    end_runner(campaign, runner, problem);
  }
  return TRUE;
}

/* Builds, runs once, verifies that run and describes its kernels. */
static gboolean
run_first(Campaign *campaign, Runner *runner, GError **error)
{
  MsMeasurement *m = runner->measurement;

  if (!guarded(campaign, runner, step_prepare, error))
    return FALSE;
  if (runner->active && !take_sample(campaign, runner, FALSE, error))
    return FALSE;
  if (!runner->active)
    return TRUE;
  m->first_ns = campaign->sample.ns;
  m->first_wall_ns = runner->wall_ns;
  return guarded(campaign, runner, step_verify, error) &&
         (!runner->active || guarded(campaign, runner, step_describe, error));
}

/* Opens a configuration: runs it for the first time and warms it up. */
static gboolean
open_runner(Campaign *campaign, Runner *runner, GError **error)
{
  const MsMeasureOptions *o = campaign->options;
  MsMeasurement *m = runner->measurement;

  m->first_ns = m->first_wall_ns = NAN;
  if (!run_first(campaign, runner, error))
    return FALSE;
  if (runner->active && o->give_up_ns > 0 && m->first_ns > o->give_up_ns) {
    /* A search does not need an exact time of a slow configuration, so its first run is kept as the only sample. */
    g_autoptr(GArray) none = g_array_new(FALSE, FALSE, sizeof(MsLabEvent));
    keep_sample(campaign, runner, &(MsSample){m->first_ns, none});
    m->work = runner->configuration->work;
    end_runner(campaign, runner, NULL);
  }
  double first_s = runner->spent_s;
  for (guint i = 0; i < o->warm_up && runner->active && first_s < o->budget_s; i++)
    if (!take_sample(campaign, runner, FALSE, error))
      return FALSE;
  runner->spent_s = 0;
  runner->load = ms_machine_load_now();
  ms_sensor_begin(o->sensor, &m->conditions);
  for (guint i = 0; i < m->walls->len; i++) /* of an earlier process */
    runner->spent_s += g_array_index(m->walls, double, i) * 1e-9;
  m->work = runner->configuration->work;
  return TRUE;
}

/* Ends a configuration. Its last run is verified as the first was, because a race shows only in some runs. */
static gboolean
close_runner(Campaign *campaign, Runner *runner, GError **error)
{
  runner->measurement->work = runner->configuration->work;
  if (!guarded(campaign, runner, step_verify, error))
    return FALSE;
  if (runner->active)
    end_runner(campaign, runner, NULL);
  return TRUE;
}

/* Whether the configuration has used its budget; a slow one stops after its first sample. */
static gboolean
is_spent(const Campaign *campaign, const Runner *runner)
{
  const MsMeasureOptions *o = campaign->options;
  guint n = runner->measurement->samples->len;

  if (n >= o->max_repeats || runner->spent_s >= 4 * o->budget_s)
    return n > 0;
  return n >= o->min_repeats && runner->spent_s >= o->budget_s;
}

/* Whether the verdict is reached, or cannot change any more because the baseline has ended. */
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

  return !runner->active ||
         (runner->measurement->samples->len >= o->min_repeats &&
          ms_measurement_summarise(runner->measurement).spread < o->noise && is_decided(campaign, runner));
}

/*
 * All configurations run until every comparison is settled, so that all samples are of the same rounds. Comparisons are
 * judged only after 5, 7, 9, 12, … rounds, because each judgement risks a false verdict.
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

/* The fraction done of a configuration, below 1 until it has ended, since it may exceed its budget. */
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
  double done = 0;

  if (!campaign->options->progress)
    return;
  for (guint i = 0; i < campaign->n; i++)
    done += share_done(campaign, &campaign->runners[i]);
  campaign->options->progress(done / campaign->n, runner->index, runner->measurement, campaign->options->progress_data);
}

static void
swap(guint *order, guint i, guint j)
{
  guint value = order[i];

  order[i] = order[j];
  order[j] = value;
}

/* Even rounds have a random order, odd ones the reverse of it, so that a steady drift cancels in the two. */
static void
choose_order(Campaign *campaign)
{
  const guint n = campaign->n;

  if (campaign->round % 2 == 0)
    for (guint i = n; i > 1; i--)
      swap(campaign->order, i - 1, (guint)g_rand_int_range(campaign->random, 0, (gint32)i));
  else
    for (guint i = 0; i < n / 2; i++)
      swap(campaign->order, i, n - 1 - i);
}

static gboolean
anything_active(const Campaign *campaign)
{
  for (guint i = 0; i < campaign->n; i++)
    if (campaign->runners[i].active)
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
run_round(Campaign *campaign, GError **error)
{
  choose_order(campaign);
  for (guint i = 0; i < campaign->n; i++) {
    Runner *runner = &campaign->runners[campaign->order[i]];
    if (!runner->active)
      continue;
    if (!take_sample(campaign, runner, TRUE, error))
      return FALSE;
    report_progress(campaign, runner);
  }
  return close_finished(campaign, error);
}

/* Configurations that an earlier process began may have all their samples. */
static gboolean
run_rounds(Campaign *campaign, GError **error)
{
  if (campaign->round > 0 && !close_finished(campaign, error))
    return FALSE;
  for (; anything_active(campaign); campaign->round++)
    if (!run_round(campaign, error))
      return FALSE;
  return TRUE;
}

/*
 * Reads the counter around a second of runs of one configuration, apart from the timing, because counters update
 * slowly.
 */
static gboolean
measure_energy(Campaign *campaign, Runner *runner, GError **error)
{
  MsSensor *sensor = campaign->options->sensor;
  MsMeasurement *m = runner->measurement;
  gint64 start = g_get_monotonic_time();
  double joules, seconds;
  guint runs = 0;

  ms_sensor_begin_energy(sensor);
  do {
    if (!guarded(campaign, runner, step_run, error))
      return FALSE;
    runs++;
  } while (m->outcome == MS_OUTCOME_OK && g_get_monotonic_time() - start < ENERGY_REGION_S * G_USEC_PER_SEC);
  joules = ms_sensor_end_energy(sensor);
  seconds = (double)MAX(g_get_monotonic_time() - start, 1) / G_USEC_PER_SEC;
  m->joules = joules / runs;
  m->watts = joules / seconds;
  m->energy_source = g_strdup(ms_sensor_energy_source(sensor));
  ms_lab_log_finish(campaign->options->log, runner->configuration->key, m);
  return TRUE;
}

static gboolean
run_campaign(Campaign *campaign, GError **error)
{
  const gboolean has_energy = campaign->options->energy && ms_sensor_energy_source(campaign->options->sensor);

  for (guint i = 0; i < campaign->n; i++) {
    if (campaign->runners[i].active && !open_runner(campaign, &campaign->runners[i], error))
      return FALSE;
    report_progress(campaign, &campaign->runners[i]);
  }
  if (!run_rounds(campaign, error))
    return FALSE;
  for (guint i = 0; has_energy && i < campaign->n; i++) {
    Runner *runner = &campaign->runners[i];
    if (runner->measurement->outcome == MS_OUTCOME_OK && runner->prepared && !measure_energy(campaign, runner, error))
      return FALSE;
  }
  return TRUE;
}

/* Takes what an earlier process has measured. Rounds go on after its last, so that none is common by chance. */
static void
restore(Campaign *campaign, Runner *runner)
{
  MsMeasurement *m = runner->measurement;

  if (m->outcome == MS_OUTCOME_PENDING && ms_lab_log_restore(campaign->options->log, runner->configuration->key, m) &&
      m->rounds->len > 0)
    campaign->round = MAX(campaign->round, (g_array_index(m->rounds, guint, m->rounds->len - 1) + 2) & ~1u);
  runner->active = m->outcome == MS_OUTCOME_PENDING;
}

/**
 * ms_measure:
 * @configurations: (array length=n): all are prepared first, so that their runs can be interleaved
 * @measurements: (array length=n): one for each configuration; those whose outcome is not PENDING are not changed
 * @cancellable: (nullable): checked between runs; kinds may check it within a run
 *
 * Prepares, runs and verifies each, then repeats them in rounds, each configuration once a round in random order, until
 * all medians have the required spread and all comparisons are settled. A configuration whose budget is spent ends
 * earlier. A failing configuration gets its outcome and is not run again. With a log, what an earlier process
 * finished is not run, and what it began goes on with the samples that it has.
 *
 * Returns: %FALSE only when cancelled; unfinished configurations are then PENDING
 */
gboolean
ms_measure(MsConfiguration **configurations, MsMeasurement **measurements, guint n, const MsMeasureOptions *options,
           GCancellable *cancellable, GError **error)
{
  g_autofree Runner *runners = g_new0(Runner, n);
  g_autofree guint *order = g_new(guint, n);
  g_autoptr(GRand) random = g_rand_new_with_seed(options->seed);
  g_autoptr(GArray) events = g_array_new(FALSE, TRUE, sizeof(MsLabEvent));
  Campaign campaign = {.runners = runners,
                       .n = n,
                       .options = options,
                       .cancellable = cancellable,
                       .random = random,
                       .started_us = g_get_monotonic_time(),
                       .sample = {-1, events},
                       .order = order,
                       .next_check = options->min_repeats};

  for (guint i = 0; i < n; i++) {
    order[i] = i;
    runners[i] = (Runner){.index = i, .configuration = configurations[i], .measurement = measurements[i]};
    restore(&campaign, &runners[i]);
  }
  gboolean good = run_campaign(&campaign, error);
  for (guint i = 0; i < n; i++)
    if (runners[i].prepared)
      ms_configuration_release(configurations[i]);
  return good;
}
