/* SPDX-License-Identifier: MIT */
#include "core/lab/lab-tune.h"

#include <math.h>
#include <string.h>

#include "core/engine/tuned.h"
#include "core/error.h"
#include "core/filter/settings/settings.h"
#include "core/lab/kinds/kind.h"
#include "core/lab/kinds/measure.h"

/*
 * The picture for processors is smaller, within the same size class, since slow configurations take minutes a
 * megapixel.
 */
#define GPU_WIDTH 1024
#define GPU_HEIGHT 1024
#define CPU_WIDTH 640
#define CPU_HEIGHT 512
#define TRIAL_S 20.0
#define LEAST_S 0.001
#define FINALISTS 5
#define GIVE_UP_RATIO 3.0
#define FINALIST_RATIO 1.3
#define SEARCH_SHARE 0.9
#define REFERENCE_SHARE 0.2

/* What the keys of trials begin with in the journal, before the settings. */
#define TRIAL "trial "
#define FINAL "final "

/* One run of ms_lab_tune(). */
typedef struct {
  const MsLabTuneRequest *request;
  const MsLabKind *kind;
  MsLabBench *bench;
  MsFactors *problem; /* parameters that all configurations share */
  MsMeasureOptions measure;
  double best_ns;
  gint64 started_us;
} Tuning;

/** ms_lab_tune_request_init: the filter with its default parameters on a generated picture, within a minute. */
void
ms_lab_tune_request_init(MsLabTuneRequest *request, MsContext *context)
{
  gboolean gpu = context->device->limits.type == MS_DEVICE_TYPE_GPU;

  *request = (MsLabTuneRequest){.context = context,
                                .width = gpu ? GPU_WIDTH : CPU_WIDTH,
                                .height = gpu ? GPU_HEIGHT : CPU_HEIGHT,
                                .budget_s = 60,
                                .seed = 1};
}

/* The configuration of the problem with these settings. @key: (nullable): what its name in the journal begins with */
static MsConfiguration *
create_configuration(Tuning *tuning, const MsFactors *factors, const char *key, GError **error)
{
  g_autoptr(MsFactors) full = ms_factors_copy(tuning->problem);
  g_autofree char *text = ms_factors_to_string(factors);

  ms_factors_merge(full, factors);
  MsConfiguration *configuration = ms_configuration_new(tuning->kind, tuning->bench, full, "The configuration", error);
  if (configuration && key)
    configuration->key = g_strconcat(key, text, NULL);
  return configuration;
}

static GError *
refuse(const MsFactors *factors, gpointer data)
{
  GError *error = NULL;
  g_autoptr(MsConfiguration) configuration = create_configuration(data, factors, NULL, &error);

  return error;
}

static gboolean
evaluate(const MsFactors *factors, double seconds, MsMeasurement *measured, GCancellable *cancellable, gpointer data,
         GError **error)
{
  Tuning *tuning = data;
  g_autoptr(GError) refused = NULL;
  g_autoptr(MsConfiguration) configuration = create_configuration(tuning, factors, TRIAL, &refused);

  tuning->measure.give_up_ns = tuning->best_ns > 0 ? GIVE_UP_RATIO * tuning->best_ns : 0;
  tuning->measure.time_s = seconds > 0 ? MIN(seconds, TRIAL_S) : TRIAL_S;
  if (!configuration)
    ms_measurement_fail_with(measured, refused);
  else if (!ms_measure(&configuration, &measured, 1, &tuning->measure, cancellable, error))
    return FALSE;
  if (measured->outcome != MS_OUTCOME_OK)
    return TRUE;
  const double ns = ms_measurement_summarise(measured).median;
  tuning->best_ns = tuning->best_ns > 0 ? MIN(tuning->best_ns, ns) : ns;
  return TRUE;
}

/* The fastest verified trials, at most FINALISTS, none slower than FINALIST_RATIO times the first. */
static GPtrArray *
find_finalists(const MsTuneRecord *record)
{
  GPtrArray *all = ms_tune_record_rank(record);
  guint n = 0;

  for (; n < MIN(all->len, FINALISTS); n++) {
    const MsTrial *trial = all->pdata[n], *best = all->pdata[0];
    if (trial->outcome != MS_OUTCOME_OK || trial->ns >= FINALIST_RATIO * best->ns)
      break;
  }
  g_ptr_array_set_size(all, (int)n);
  return all;
}

static void
take_final_times(MsTuneRecord *record, GPtrArray *finalists, MsMeasurement **measurements)
{
  double best = INFINITY;

  for (guint i = 0; i < finalists->len; i++) {
    MsTrial *trial = finalists->pdata[i];
    guint index;
    if (measurements[i]->outcome != MS_OUTCOME_OK)
      continue;
    trial->ns = ms_measurement_summarise(measurements[i]).median;
    if (trial->ns < best && g_ptr_array_find(record->trials, trial, &index)) {
      best = trial->ns;
      record->best = (int)index;
    }
  }
}

/* A finalist that failed in the final, or was wrong there as a race may be, must not win; it is no trial any more. */
static void
fail_finalists(MsTuneRecord *record, GPtrArray *finalists, MsMeasurement **measurements)
{
  for (guint i = 0; i < finalists->len; i++) {
    const MsOutcome outcome = measurements[i]->outcome;
    if (outcome == MS_OUTCOME_OK || outcome == MS_OUTCOME_PENDING || outcome == MS_OUTCOME_TIMEOUT)
      continue;
    g_autoptr(MsFactors) factors = ms_factors_copy(((const MsTrial *)finalists->pdata[i])->factors);
    ms_tune_record_fail(record, factors, measurements[i]);
    finalists->pdata[i] = NULL;
  }
}

/*
 * The minimum over many noisy measurements is biased, so the finalists are measured again, interleaved, and those times
 * decide, unless the budget is spent before.
 */
static gboolean
decide_among_finalists(Tuning *tuning, MsTuneRecord *record, double seconds, GCancellable *cancellable, GError **error)
{
  g_autoptr(GPtrArray) finalists = find_finalists(record);
  MsConfiguration *configurations[FINALISTS] = {NULL};
  MsMeasurement *measurements[FINALISTS] = {NULL};
  MsMeasureOptions careful = tuning->measure;
  guint n = 0;

  careful.give_up_ns = 0;
  careful.min_repeats = 7;
  careful.time_s = seconds;
  careful.step_s = TRIAL_S;
  for (guint i = 0; i < finalists->len; i++) {
    configurations[n] = create_configuration(tuning, ((MsTrial *)finalists->pdata[i])->factors, FINAL, NULL);
    if (configurations[n])
      measurements[n++] = ms_measurement_new();
  }
  gboolean good =
    n < finalists->len || n < 2 || ms_measure(configurations, measurements, n, &careful, cancellable, error);
  if (good && n == finalists->len && n >= 2) {
    gboolean late = FALSE;
    for (guint i = 0; i < n; i++)
      late |= measurements[i]->outcome == MS_OUTCOME_TIMEOUT;
    fail_finalists(record, finalists, measurements);
    if (!late)
      take_final_times(record, finalists, measurements);
  }
  for (guint i = 0; i < n; i++) {
    ms_configuration_free(configurations[i]);
    ms_measurement_free(measurements[i]);
  }
  return good;
}

/* Seconds left of that share of the budget, at least LEAST_S, because 0 means no limit. */
static double
seconds_left(const Tuning *tuning, double share)
{
  double used = (double)(g_get_monotonic_time() - tuning->started_us) * 1e-6, budget_s = tuning->request->budget_s;

  return budget_s > 0 ? MAX(share * budget_s - used, LEAST_S) : 0;
}

static gboolean
is_continued(const Tuning *tuning)
{
  return ms_lab_journal_count_deaths(tuning->request->journal) > 0;
}

/* Whether the budget was spent by processes that the driver has ended. */
static gboolean
is_over(const Tuning *tuning)
{
  return is_continued(tuning) && tuning->request->budget_s > 0 && seconds_left(tuning, SEARCH_SHARE) <= LEAST_S;
}

/*
 * The class of the problem and the toggles that the caller fixed: `auto` must not take a winner that was found with a
 * setting fixed.
 */
static char *
name_problem(const MsFactors *problem)
{
  MsSettings settings = ms_settings_default();
  gint64 width = 0, height = 0;

  ms_settings_from_factors(problem, &settings, NULL);
  ms_factors_parse_size(ms_factors_get_or(problem, "size", "1"), &width, &height, NULL);
  g_autofree char *class = ms_problem_class_filter(settings.params.sp, width, height);
  g_autoptr(GString) name = g_string_new(class);
  for (guint i = 0; i < ms_factors_size(problem); i++) {
    const MsOptionInfo *option = ms_option_find(ms_factors_key(problem, i));
    if (option && option->group == MS_OPTION_GROUP_TOGGLE)
      g_string_append_printf(name, ", %s:%s", option->name, ms_factors_value(problem, i));
  }
  return g_string_free(g_steal_pointer(&name), FALSE);
}

/* The factors that the caller fixed, with the size of the picture. */
static MsFactors *
make_problem(const MsLabTuneRequest *request)
{
  MsFactors *problem = request->fixed ? ms_factors_copy(request->fixed) : ms_factors_new();
  int width = request->image ? ms_image_get_width(request->image) : request->width;
  int height = request->image ? ms_image_get_height(request->image) : request->height;
  g_autofree char *size = g_strdup_printf("%dx%d", width, height);

  if (!ms_factors_get(problem, "size"))
    ms_factors_set(problem, "size", size);
  return problem;
}

static MsTuneRecord *
open_record(const MsLabTuneRequest *request, const char *problem)
{
  MsDevice *device = request->context->device;
  MsWinnerKey key = {device->name, device->driver, problem};
  MsTuneRecord *record = request->fresh ? NULL : ms_tune_store_load(request->directory, &key, NULL);

  /* Another version of the program has other kernels, so its times do not count. */
  if (record && g_strcmp0(record->version, MS_VERSION) != 0)
    g_clear_pointer(&record, ms_tune_record_free);
  if (!record)
    record = ms_tune_record_new(key.device, key.driver, key.problem);
  g_free(record->version);
  record->version = g_strdup(MS_VERSION);
  return record;
}

/* Searches from @start (nullable) and measures the finalists again, both within the budget. */
static gboolean
search(Tuning *tuning, const MsFactors *start, MsTuneRecord *record, GCancellable *cancellable, GError **error)
{
  const MsLabTuneRequest *request = tuning->request;
  g_autoptr(MsTuneSpace) space = ms_tune_space_new(refuse, evaluate, tuning);
  const MsTrial *best = ms_tune_record_best(record);

  ms_lab_filter_add_space(space, tuning->problem);
  tuning->best_ns = best ? best->ns : 0;
  const MsTuneOptions options = {.budget_s = seconds_left(tuning, SEARCH_SHARE),
                                 .is_continued = is_continued(tuning),
                                 .seed = request->seed,
                                 .start = start,
                                 .progress = request->progress,
                                 .progress_data = request->progress_data};
  return ms_tune_search(space, record, &options, cancellable, error) &&
         decide_among_finalists(tuning, record, seconds_left(tuning, 1), cancellable, error);
}

/* Takes a trial that an earlier process made; one that the end of the budget ended may be tried again. */
static void
take_trial(MsTuneRecord *record, const MsFactors *factors, const MsMeasurement *m, gboolean late)
{
  if (m->outcome == MS_OUTCOME_PENDING || (m->outcome == MS_OUTCOME_TIMEOUT && late))
    return;
  if (m->outcome != MS_OUTCOME_OK)
    ms_tune_record_fail(record, factors, m);
  else if (!ms_tune_record_find(record, factors))
    ms_tune_record_add(record, factors, m);
}

/*
 * Takes the trials of the processes that the driver has ended. A finalist that ended one must not win. The journal does
 * not say when each was made, only when the search began.
 */
static void
take_journal(const Tuning *tuning, MsTuneRecord *record)
{
  const MsMeasurement *m;
  const char *key;

  if (is_continued(tuning))
    record->elapsed_s = MAX(record->elapsed_s, (double)(g_get_monotonic_time() - tuning->started_us) * 1e-6);
  for (guint i = 0; (m = ms_lab_journal_nth(tuning->request->journal, i, &key)); i++) {
    const gboolean is_final = g_str_has_prefix(key, FINAL);
    g_autoptr(MsFactors) factors = ms_factors_parse(key + strlen(is_final ? FINAL : TRIAL), NULL);
    if (factors && (!is_final || m->outcome == MS_OUTCOME_RUN))
      take_trial(record, factors, m, is_over(tuning));
  }
}

/**
 * ms_lab_tune:
 *
 * Searches the toggles within the budget, of which the serial reference that verifies pictures takes a
 * fifth at most: it has fewer rows where the picture is too large. Saves all trials and the winner, and resumes an
 * earlier search of the same device, driver and class of problem. A cancelled search saves the trials it made.
 *
 * Returns: (transfer full): the search; ms_tune_record_best() is the winner
 */
MsTuneRecord *
ms_lab_tune(const MsLabTuneRequest *request, GCancellable *cancellable, GError **error)
{
  g_autoptr(MsLabBench) bench = ms_lab_bench_new(request->context, NULL, request->image);
  g_autoptr(MsFactors) problem = make_problem(request);
  Tuning tuning = {request, ms_lab_kind_find("mean-shift"), bench, problem, {0}, 0, 0};

  if (!ms_lab_check_keys(tuning.kind, problem, error))
    return NULL;
  tuning.started_us = ms_lab_journal_start_clock(request->journal);
  g_autofree char *name = name_problem(problem);
  g_autoptr(MsTuneRecord) record = open_record(request, name);
  g_clear_pointer(&record->measured, ms_factors_free);
  record->measured = ms_factors_copy(problem);
  take_journal(&tuning, record);
  if (is_continued(&tuning)) /* kept even if the driver ends all further processes */
    ms_tune_store_save(request->directory, record, NULL);
  if (request->progress && record->trials->len > 0)
    request->progress(record, NULL, 0, request->progress_data); /* the trials of an earlier search */
  ms_measure_options_init(&tuning.measure, TRUE);
  tuning.measure.budget_s = MIN(0.2, request->budget_s / 100);
  tuning.measure.journal = request->journal;
  g_autoptr(MsFactors) start = NULL;
  bench->reference_s = REFERENCE_SHARE * seconds_left(&tuning, 1);
  if (!is_over(&tuning)) {
    start = ms_lab_filter_propose(bench, problem, cancellable, error);
    if (!start)
      return NULL;
  }
  gboolean good = search(&tuning, start, record, cancellable, error);
  gboolean saved = ms_tune_store_save(request->directory, record, good ? error : NULL);
  if (!good && request->unfinished)
    *request->unfinished = g_steal_pointer(&record);
  if (!good || !saved)
    return NULL;
  return g_steal_pointer(&record);
}

/* A search keeps only the median of a trial, which becomes the row's single sample. */
static void
add_trial(MsReport *report, const MsTrial *trial, guint rank)
{
  g_autoptr(MsFactors) factors = ms_factors_copy(trial->factors);
  g_autofree char *label = ms_factors_to_string(trial->factors);
  g_autofree char *place = g_strdup_printf("%u", rank);
  guint round = 0;

  ms_factors_set(factors, "rank", place);
  MsReportRow *row = ms_report_add_row(report, factors, label, "tuning");
  if (trial->outcome == MS_OUTCOME_OK) {
    row->measurement->outcome = MS_OUTCOME_OK;
    g_array_append_val(row->measurement->samples, trial->ns);
    g_array_append_val(row->measurement->rounds, round);
  } else {
    ms_measurement_fail(row->measurement, trial->outcome, trial->message, trial->shown);
  }
  ms_report_finish_row(report, row);
}

static MsExperiment *
describe(const MsTuneRecord *record)
{
  g_autofree char *title = g_strdup_printf("Tuning: %s", record->problem);
  MsExperiment *experiment = ms_experiment_new("tuning", title, "tuning");

  experiment->description = g_strdup_printf("%u of %" G_GUINT64_FORMAT " configurations tried, fastest first.",
                                            record->trials->len, record->space_size);
  experiment->plot.type = MS_PLOT_LINES;
  experiment->plot.x = g_strdup("rank");
  experiment->plot.x_title = g_strdup("Configurations, fastest first");
  experiment->plot.log_y = TRUE;
  return experiment;
}

/**
 * ms_lab_tune_report:
 *
 * Returns: (transfer full): a report called "tuning" with a row for every trial, the fastest first
 */
MsReport *
ms_lab_tune_report(const MsTuneRecord *record)
{
  g_autoptr(MsExperiment) experiment = describe(record);
  g_autoptr(GPtrArray) trials = ms_tune_record_rank(record);
  MsReport *report = ms_report_new(experiment);

  report->device.name = g_strdup(record->device);
  report->device.driver = g_strdup(record->driver);
  report->program_version = g_strdup(record->version);
  report->complete = TRUE;
  for (guint i = 0; i < trials->len; i++)
    add_trial(report, trials->pdata[i], i + 1);
  ms_report_rank(report);
  return report;
}
