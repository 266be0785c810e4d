/* SPDX-License-Identifier: MIT */
#include "core/lab/tune/tuner.h"

#include <inttypes.h>
#include <math.h>

#include "core/error.h"

/* What a trial takes at least; a space whose trials may all fit into the budget is tried as a whole. */
#define LEAST_TRIAL_S 0.25

#define PROBES 6

/* A limit of 0 means no limit. */
#define LEAST_LIMIT_S 0.001

struct _MsTuneSpace {
  MsTuneConstraint constraint;
  MsTuneEvaluate evaluate;
  gpointer data;
  GArray *dimensions; /* MsTuneDimension */
};

/* One run of ms_tune_search(). */
typedef struct {
  MsTuneSpace *space;
  MsReport *report;
  const MsTuneOptions *options;
  GCancellable *cancellable;
  GRand *random;
  gint64 started_us;
  double before_s; /* of the search that this one continues */
  guint n_evaluated;
  double evaluated_s; /* seconds of all evaluations together */
} Search;

static void
clear_dimension(gpointer data)
{
  MsTuneDimension *dimension = data;

  g_free(dimension->key);
  g_strfreev(dimension->values);
}

/**
 * ms_tune_space_new:
 * @constraint: filters the space before anything is built
 * @evaluate: measures one configuration
 * @data: for both
 */
MsTuneSpace *
ms_tune_space_new(MsTuneConstraint constraint, MsTuneEvaluate evaluate, gpointer data)
{
  MsTuneSpace *self = g_new0(MsTuneSpace, 1);

  self->constraint = constraint;
  self->evaluate = evaluate;
  self->data = data;
  self->dimensions = g_array_new(FALSE, FALSE, sizeof(MsTuneDimension));
  g_array_set_clear_func(self->dimensions, clear_dimension);
  return self;
}

void
ms_tune_space_free(MsTuneSpace *self)
{
  if (!self)
    return;
  g_array_unref(self->dimensions);
  g_free(self);
}

void
ms_tune_space_add(MsTuneSpace *self, const char *key, const char *const *values)
{
  MsTuneDimension dimension = {g_strdup(key), g_strdupv((char **)values)};

  g_return_if_fail(values[0]);
  g_array_append_val(self->dimensions, dimension);
}

static const MsTuneDimension *
dimension_at(const MsTuneSpace *self, guint index)
{
  return &g_array_index(self->dimensions, MsTuneDimension, index);
}

/** ms_tune_space_size: how many combinations there are, before constraints. */
guint64
ms_tune_space_size(const MsTuneSpace *self)
{
  guint64 size = 1;

  for (guint i = 0; i < self->dimensions->len; i++)
    size *= g_strv_length(dimension_at(self, i)->values);
  return size;
}

/* Combination number @index; the last dimension varies fastest. */
static MsFactors *
nth_point(const MsTuneSpace *self, guint64 index)
{
  guint n = self->dimensions->len;
  g_autofree guint *digits = g_new0(guint, MAX(n, 1));
  MsFactors *factors = ms_factors_new();

  for (guint i = n; i-- > 0;) {
    guint values = g_strv_length(dimension_at(self, i)->values);
    digits[i] = (guint)(index % values);
    index /= values;
  }
  for (guint i = 0; i < n; i++) {
    const MsTuneDimension *dimension = dimension_at(self, i);
    ms_factors_set(factors, dimension->key, dimension->values[digits[i]]);
  }
  return factors;
}

static gint64
now_us(const MsTuneOptions *options)
{
  return options->clock ? options->clock(options->clock_data) : g_get_monotonic_time();
}

static double
seconds_since(const Search *search, gint64 start_us)
{
  return (double)(now_us(search->options) - start_us) * 1e-6;
}

static double
budget_share(const Search *search)
{
  double used = seconds_since(search, search->started_us);

  return search->options->budget_s > 0 ? used / search->options->budget_s : 0;
}

/* The first configuration of a search may exceed the budget, so that a short search has a winner as well. */
static gboolean
is_limited(const Search *search)
{
  return search->options->budget_s > 0 && (search->n_evaluated > 0 || ms_tune_best(search->report));
}

/* A build cannot be cancelled, so no configuration begins when less time is left than one usually takes. */
static gboolean
is_over(const Search *search)
{
  double left = search->options->budget_s * (1 - budget_share(search));
  double usual = search->evaluated_s / MAX(search->n_evaluated, 1);

  return search->options->budget_s > 0 && (is_limited(search) || search->options->is_continued) && left <= usual;
}

static gboolean
evaluate_timed(Search *search, const MsFactors *factors, MsMeasurement *measured, GError **error)
{
  const double left = MAX(search->options->budget_s * (1 - budget_share(search)), LEAST_LIMIT_S);
  const gint64 start_us = now_us(search->options);
  const gboolean good = search->space->evaluate(factors, is_limited(search) ? left : 0, measured, search->cancellable,
                                                search->space->data, error);

  search->n_evaluated++;
  search->evaluated_s += seconds_since(search, start_us);
  search->report->elapsed_s = search->before_s + seconds_since(search, search->started_us);
  return good;
}

/* Finds or makes the trial of @factors, NULL when the budget ended meanwhile; FALSE when the search was cancelled. */
static gboolean
try_settings(Search *search, const MsFactors *factors, const MsReportRow **trial, GError **error)
{
  g_autoptr(MsMeasurement) measured = ms_measurement_new();
  g_autoptr(GError) reason = NULL;
  const gboolean limited = is_limited(search);

  if (g_cancellable_set_error_if_cancelled(search->cancellable, error))
    return FALSE;
  *trial = ms_tune_find(search->report, factors);
  if (*trial)
    return TRUE;
  reason = search->space->constraint ? search->space->constraint(factors, search->space->data) : NULL;
  if (reason)
    ms_measurement_fail_with(measured, reason);
  else if (!evaluate_timed(search, factors, measured, error))
    return FALSE;
  if (limited && measured->outcome == MS_OUTCOME_TIMEOUT && budget_share(search) >= 1)
    return TRUE; /* the budget ended, the configuration did not fail */
  measured->at_s = search->report->elapsed_s;
  *trial = ms_tune_add(search->report, factors, g_steal_pointer(&measured));
  if (search->options->progress)
    search->options->progress(search->report, *trial, CLAMP(budget_share(search), 0, 1),
                              search->options->progress_data);
  return TRUE;
}

static gboolean
search_in_order(Search *search, GError **error)
{
  guint64 size = ms_tune_space_size(search->space);

  for (guint64 i = 0; i < size; i++) {
    g_autoptr(MsFactors) factors = nth_point(search->space, i);
    const MsReportRow *trial;
    if (is_over(search))
      return TRUE;
    if (!try_settings(search, factors, &trial, error))
      return FALSE;
  }
  search->report->complete = TRUE;
  return TRUE;
}

static MsFactors *
random_point(Search *search)
{
  MsFactors *factors = ms_factors_new();

  for (guint i = 0; i < search->space->dimensions->len; i++) {
    const MsTuneDimension *d = dimension_at(search->space, i);
    gint32 pick = g_rand_int_range(search->random, 0, (gint32)g_strv_length(d->values));
    ms_factors_set(factors, d->key, d->values[pick]);
  }
  return factors;
}

/* Tries a few random configurations that can run, as starting points of the greedy search. */
static gboolean
probe_starts(Search *search, GError **error)
{
  const MsReportRow *trial;

  for (guint i = 0, tries = 0; i < PROBES && tries < 50 * PROBES && !is_over(search); tries++) {
    g_autoptr(MsFactors) factors = random_point(search);
    if (!try_settings(search, factors, &trial, error))
      return FALSE;
    i += trial && trial->measurement->outcome != MS_OUTCOME_CONSTRAINT;
  }
  return TRUE;
}

/* Tries every value of every dimension, in cyclic order from a random one, each from the best configuration so far. */
static gboolean
improve_once(Search *search, gboolean *improved, GError **error)
{
  guint n = search->space->dimensions->len;
  guint first = n ? (guint)g_rand_int_range(search->random, 0, (gint32)n) : 0;
  const MsReportRow *before = ms_tune_best(search->report);

  for (guint i = 0; i < n; i++) {
    const MsTuneDimension *d = dimension_at(search->space, (first + i) % n);
    for (char **value = d->values; *value && !is_over(search); value++) {
      g_autoptr(MsFactors) factors = ms_factors_copy(search->report->winner);
      const MsReportRow *trial;
      ms_factors_set(factors, d->key, *value);
      if (!try_settings(search, factors, &trial, error))
        return FALSE;
    }
  }
  *improved = ms_tune_best(search->report) != before;
  return TRUE;
}

static gboolean
search_greedily(Search *search, GError **error)
{
  const MsReportRow *trial;
  gboolean improved = TRUE;

  if (search->options->start && !try_settings(search, search->options->start, &trial, error))
    return FALSE;
  while (!is_over(search) && !ms_tune_best(search->report)) {
    guint before = search->report->rows->len;
    if (!probe_starts(search, error))
      return FALSE;
    if (search->report->rows->len == before)
      return TRUE; /* nothing in the space can run */
  }
  while (!is_over(search)) {
    improved = TRUE;
    while (improved && !is_over(search))
      if (!improve_once(search, &improved, error))
        return FALSE;
    guint before = search->report->rows->len; /* a local optimum: restart elsewhere with the remaining budget */
    if (search->report->rows->len >= ms_tune_space_size(search->space))
      break;
    if (!probe_starts(search, error))
      return FALSE;
    if (search->report->rows->len == before)
      break;
  }
  search->report->complete = !is_over(search);
  return TRUE;
}

/**
 * ms_tune_search:
 * @report: (inout): receives the trials; configurations that it holds are not tried again
 *
 * A space whose configurations can all be tried within the budget is searched in order. In a larger one the search
 * changes one dimension at a time from the best known point until no neighbour is faster, then restarts from random
 * points until the budget is spent. Failures are recorded with their class and the search continues.
 *
 * Returns: %FALSE only when cancelled; @report then holds what was found so far
 */
gboolean
ms_tune_search(MsTuneSpace *space, MsReport *report, const MsTuneOptions *options, GCancellable *cancellable,
               GError **error)
{
  g_autoptr(GRand) random = g_rand_new_with_seed(options->seed);
  Search search = {space, report, options, cancellable, random, now_us(options), report->elapsed_s};

  report->seed = options->seed;
  report->space_size = ms_tune_space_size(space);
  report->complete = FALSE;
  const gboolean all = options->budget_s <= 0 || (double)report->space_size * LEAST_TRIAL_S <= options->budget_s;
  return all ? search_in_order(&search, error) : search_greedily(&search, error);
}

/* A search as a report */

/**
 * ms_tune_report_new:
 * @problem: class of the problem, see ms_problem_class_filter()
 * @fixed: the settings that all configurations share
 *
 * Returns: (transfer full): a report called "tuning", to which ms_tune_search() adds a row for each configuration
 */
MsReport *
ms_tune_report_new(const char *problem, const MsFactors *fixed)
{
  g_autofree char *title = g_strdup_printf("Fastest settings for %s", problem);
  g_autoptr(MsExperiment) experiment = ms_experiment_new("tuning", title, "tuning");

  ms_factors_merge(experiment->fixed, fixed);
  experiment->plot.type = MS_PLOT_LINES;
  experiment->plot.x = g_strdup("rank");
  experiment->plot.x_title = g_strdup("Configurations, fastest first");
  experiment->plot.log_y = TRUE;
  MsReport *report = ms_report_new(experiment);
  /* The fastest wins however busy the machine was, so that the others are compared with it all the same. */
  report->accept_disturbed = TRUE;
  return report;
}

/** ms_tune_find: (transfer none) (nullable): the row of these settings, which are all that vary. */
MsReportRow *
ms_tune_find(const MsReport *report, const MsFactors *factors)
{
  for (guint i = 0; i < report->rows->len; i++) {
    MsReportRow *row = report->rows->pdata[i];
    if (ms_factors_contains(row->factors, factors))
      return row;
  }
  return NULL;
}

/** ms_tune_best: (transfer none) (nullable): the row of the winner so far. */
const MsReportRow *
ms_tune_best(const MsReport *report)
{
  return report->winner ? ms_tune_find(report, report->winner) : NULL;
}

static gboolean
is_faster(const MsReportRow *row, const MsReportRow *best)
{
  return row->measurement->outcome == MS_OUTCOME_OK && (!best || row->summary.median < best->summary.median);
}

/** ms_tune_settings: (transfer full): the settings that vary, which are the label of a row. */
MsFactors *
ms_tune_settings(const MsReportRow *row)
{
  return ms_factors_parse(row->label, NULL);
}

static void
find_winner(MsReport *report)
{
  const MsReportRow *best = NULL;

  for (guint i = 0; i < report->rows->len; i++)
    if (is_faster(report->rows->pdata[i], best))
      best = report->rows->pdata[i];
  g_clear_pointer(&report->winner, ms_factors_free);
  report->winner = best ? ms_tune_settings(best) : NULL;
}

/**
 * ms_tune_add:
 * @factors: the settings that vary
 * @measured: (transfer full): the times of the configuration, or why it failed
 *
 * Returns: (transfer none): the row, which replaces an earlier one of the same settings
 */
MsReportRow *
ms_tune_add(MsReport *report, const MsFactors *factors, MsMeasurement *measured)
{
  MsReportRow *row = ms_tune_find(report, factors);

  if (!row) {
    g_autoptr(MsFactors) all = ms_factors_copy(report->experiment->fixed);
    g_autofree char *label = ms_factors_to_string(factors);
    ms_factors_merge(all, factors);
    row = ms_report_add_row(report, all, label, "tuning");
  }
  ms_measurement_free(row->measurement);
  row->measurement = measured;
  ms_report_finish_row(report, row);
  find_winner(report);
  return row;
}

/* The winner of a final is not always the configuration with the smallest time. */
static int
compare_rows(gconstpointer a, gconstpointer b, gpointer best)
{
  const MsReportRow *x = *(const MsReportRow *const *)a, *y = *(const MsReportRow *const *)b;

  if (x == best || y == best)
    return (y == best) - (x == best);
  return is_faster(y, x->measurement->outcome == MS_OUTCOME_OK ? x : NULL) -
         is_faster(x, y->measurement->outcome == MS_OUTCOME_OK ? y : NULL);
}

/** ms_tune_rank: sorts the rows: the winner, those with a time, the fastest first, and those that failed. */
void
ms_tune_rank(MsReport *report)
{
  g_ptr_array_sort_with_data(report->rows, compare_rows, (gpointer)ms_tune_best(report));
  for (guint i = 0; i < report->rows->len; i++) {
    g_autofree char *rank = g_strdup_printf("%u", i + 1);
    ms_factors_set(((MsReportRow *)report->rows->pdata[i])->factors, report->experiment->plot.x, rank);
  }
  ms_report_rank(report);
}

/** ms_tune_check: %FALSE with #MS_ERROR_TIMEOUT or #MS_ERROR_DEVICE and what to do where the search has no winner. */
gboolean
ms_tune_check(const MsReport *report, GError **error)
{
  g_autofree char *first = ms_report_first_message(report);

  if (report->winner)
    return TRUE;
  if (report->rows->len == 0)
    ms_set_error(error, MS_ERROR_TIMEOUT,
                 "The budget was spent before any of the %" PRIu64 " configurations was measured; increase it, "
                 "as in --budget 5m.",
                 report->space_size);
  else
    ms_set_error(
      error, MS_ERROR_DEVICE,
      "None of the %u configurations that were tried succeeded; fix fewer settings or increase --budget. The first "
      "failed: %s",
      report->rows->len, first);
  return FALSE;
}
