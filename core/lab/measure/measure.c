/* SPDX-License-Identifier: MIT */
#include "core/lab/measure/measure-private.h"

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

/* Whether the configuration has used its budget; a slow one stops after its first sample. */
static gboolean
is_spent(const MsMeasureCampaign *campaign, const MsMeasureRunner *runner)
{
  const MsMeasureOptions *o = campaign->options;
  guint n = runner->measurement->samples->len;

  if (ms_measure_is_anchor(campaign, runner))
    return FALSE;
  if (n >= o->max_repeats || runner->spent_s >= 4 * o->budget_s)
    return n > 0;
  return n >= o->min_repeats && runner->spent_s >= o->budget_s;
}

/* Whether the verdict is reached, or cannot change any more because the baseline has ended. */
static gboolean
is_decided(const MsMeasureCampaign *campaign, const MsMeasureRunner *runner)
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
is_settled(const MsMeasureCampaign *campaign, const MsMeasureRunner *runner)
{
  const MsMeasureOptions *o = campaign->options;

  return !runner->active || ms_measure_is_anchor(campaign, runner) ||
         (runner->measurement->samples->len >= o->min_repeats &&
          ms_measurement_summarise(runner->measurement).spread < o->noise && is_decided(campaign, runner));
}

/*
 * All configurations run until every comparison is settled, so that all samples are of the same rounds. Comparisons are
 * judged only after 5, 7, 9, 12, … rounds, because each judgement risks a false verdict.
 */
static gboolean
all_settled(MsMeasureCampaign *campaign)
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
share_done(const MsMeasureCampaign *campaign, const MsMeasureRunner *runner)
{
  if (!runner->active)
    return runner->measurement->outcome == MS_OUTCOME_PENDING ? 0.0 : 1.0;
  return MIN(runner->spent_s / MAX(campaign->options->budget_s, 1e-9), 0.99);
}

static void
report_progress(MsMeasureCampaign *campaign, const MsMeasureRunner *runner)
{
  guint n = campaign->n - (campaign->options->anchored ? 1 : 0);
  double done = 0;

  if (!campaign->options->progress || ms_measure_is_anchor(campaign, runner))
    return;
  for (guint i = 0; i < n; i++)
    done += share_done(campaign, &campaign->runners[i]);
  campaign->options->progress(done / n, runner->index, runner->measurement, campaign->options->progress_data);
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
choose_order(MsMeasureCampaign *campaign)
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
anything_active(const MsMeasureCampaign *campaign)
{
  for (guint i = 0; i < campaign->n; i++)
    if (campaign->runners[i].active && !ms_measure_is_anchor(campaign, &campaign->runners[i]))
      return TRUE;
  return FALSE;
}

/* Ends the configurations that are done: those whose budget is spent, and all of them once all are settled. */
static gboolean
close_finished(MsMeasureCampaign *campaign, GError **error)
{
  gboolean all = all_settled(campaign);

  for (guint i = 0; i < campaign->n; i++) {
    MsMeasureRunner *runner = &campaign->runners[i];
    if (!runner->active || (!all && !is_spent(campaign, runner)))
      continue;
    if (!ms_measure_close(campaign, runner, error))
      return FALSE;
    report_progress(campaign, runner);
  }
  return TRUE;
}

/* One run of every configuration that is not done. */
static gboolean
run_round(MsMeasureCampaign *campaign, MsSample *sample, GError **error)
{
  choose_order(campaign);
  for (guint i = 0; i < campaign->n; i++) {
    MsMeasureRunner *runner = &campaign->runners[campaign->order[i]];
    if (!runner->active)
      continue;
    if (!ms_measure_take_sample(campaign, runner, sample, NULL, error))
      return FALSE;
    report_progress(campaign, runner);
  }
  return close_finished(campaign, error);
}

/* The anchor ends with the last configuration. Those that an earlier process began may have all their samples. */
static gboolean
run_rounds(MsMeasureCampaign *campaign, MsSample *sample, GError **error)
{
  if (campaign->round > 0 && !close_finished(campaign, error))
    return FALSE;
  for (; anything_active(campaign); campaign->round++)
    if (!run_round(campaign, sample, error))
      return FALSE;
  for (guint i = 0; i < campaign->n; i++)
    if (campaign->runners[i].active && !ms_measure_close(campaign, &campaign->runners[i], error))
      return FALSE;
  return TRUE;
}

static gboolean
run_campaign(MsMeasureCampaign *campaign, GError **error)
{
  g_autoptr(GArray) events = g_array_new(FALSE, TRUE, sizeof(MsLabEvent));
  MsSample sample = {-1, events};

  for (guint i = 0; i < campaign->n; i++) {
    if (campaign->runners[i].active && !ms_measure_open(campaign, &campaign->runners[i], &sample, error))
      return FALSE;
    report_progress(campaign, &campaign->runners[i]);
  }
  if (!run_rounds(campaign, &sample, error))
    return FALSE;
  if (campaign->options->energy && ms_energy_available(campaign->options->energy))
    for (guint i = 0; i < campaign->n; i++)
      if (campaign->runners[i].measurement->outcome == MS_OUTCOME_OK && campaign->runners[i].prepared &&
          !ms_measure_is_anchor(campaign, &campaign->runners[i]) &&
          !ms_measure_energy(campaign, &campaign->runners[i], &sample, error))
        return FALSE;
  return TRUE;
}

/* Takes what an earlier process has measured. Rounds go on after its last, so that none is common by chance. */
static void
restore(MsMeasureCampaign *campaign, MsMeasureRunner *runner)
{
  MsMeasurement *m = runner->measurement;

  if (m->outcome == MS_OUTCOME_PENDING && ms_lab_journal_restore(campaign->options->journal, runner->subject->key, m) &&
      m->rounds->len > 0)
    campaign->round = MAX(campaign->round, (g_array_index(m->rounds, guint, m->rounds->len - 1) + 2) & ~1u);
  runner->active = m->outcome == MS_OUTCOME_PENDING;
}

/**
 * ms_measure:
 * @cancellable: (nullable): checked between runs; subjects may check it within a run
 *
 * Prepares, runs and verifies each, then repeats them in rounds, each configuration once a round in random order, until
 * all medians have the required spread and all comparisons are settled. A configuration whose budget is spent ends
 * earlier. A failing configuration gets its outcome and is not run again. With a journal, what an earlier process
 * finished is not run, and what it began goes on with the samples that it has.
 *
 * Returns: %FALSE only when cancelled; unfinished configurations are then PENDING
 */
gboolean
ms_measure(const MsMeasureGroup *group, const MsMeasureOptions *options, GCancellable *cancellable, GError **error)
{
  const guint n = group->n;
  g_autofree MsMeasureRunner *runners = g_new0(MsMeasureRunner, n);
  g_autofree guint *order = g_new(guint, n);
  g_autoptr(GRand) random = g_rand_new_with_seed(options->seed);
  MsMeasureCampaign campaign = {
    runners, n, options, cancellable, random, g_get_monotonic_time(), order, 0, options->min_repeats};

  for (guint i = 0; i < n; i++) {
    order[i] = i;
    runners[i] = (MsMeasureRunner){.index = i, .subject = group->subjects[i], .measurement = group->measurements[i]};
    restore(&campaign, &runners[i]);
  }
  gboolean good = run_campaign(&campaign, error);
  for (guint i = 0; i < n; i++)
    if (runners[i].prepared && group->subjects[i]->funcs->release)
      group->subjects[i]->funcs->release(group->subjects[i]);
  return good;
}
