/* SPDX-License-Identifier: MIT */
#include "core/lab/lab-tune.h"

#include <math.h>
#include <string.h>

#include "core/error.h"
#include "core/filter/settings/settings.h"
#include "core/folder.h"
#include "core/lab/kinds/kind.h"
#include "core/lab/kinds/measure.h"
#include "core/lab/report/environment.h"

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

/* What stands in the keys of measurements between the scope and the settings. */
#define TRIAL "trial "
#define FINAL "final "

#define ENDING ".jsonl"

/* One run of ms_lab_tune(). */
typedef struct {
  const MsLabTuneRequest *request;
  const MsLabKind *kind;
  MsLabBench *bench;
  MsFactors *problem; /* parameters that all configurations share */
  MsReport *report;
  char *scope;    /* what the keys of all measurements begin with */
  MsLabLog *kept; /* of all searches of this device and class of problems */
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

/* (transfer full): the key of the configuration of the problem with these settings */
static char *
make_key(const Tuning *tuning, const char *phase, const MsFactors *factors)
{
  g_autoptr(MsFactors) full = ms_factors_copy(tuning->problem);

  ms_factors_merge(full, factors);
  g_autofree char *text = ms_factors_to_string(full);
  return g_strconcat(tuning->scope, phase, text, NULL);
}

/* The configuration of the problem with these settings. @phase: (nullable): of the search, for its key */
static MsConfiguration *
create_configuration(Tuning *tuning, const MsFactors *factors, const char *phase, GError **error)
{
  g_autoptr(MsFactors) full = ms_factors_copy(tuning->problem);

  ms_factors_merge(full, factors);
  MsConfiguration *configuration = ms_configuration_new(tuning->kind, tuning->bench, full, "The configuration", error);
  if (configuration && phase)
    configuration->key = make_key(tuning, phase, factors);
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

/* Keeps a row for later searches. */
static void
keep_row(const Tuning *tuning, const MsReportRow *row)
{
  g_autoptr(MsFactors) factors = ms_tune_settings(row);
  g_autofree char *key = make_key(tuning, TRIAL, factors);

  ms_lab_log_finish(tuning->kept, key, row->measurement);
}

/* The fastest verified rows, at most FINALISTS, none slower than FINALIST_RATIO times the first. */
static GPtrArray *
find_finalists(MsReport *report)
{
  GPtrArray *finalists = g_ptr_array_new();

  ms_tune_rank(report);
  for (guint i = 0; i < MIN(report->rows->len, FINALISTS); i++) {
    MsReportRow *row = report->rows->pdata[i], *best = report->rows->pdata[0];
    if (row->measurement->outcome == MS_OUTCOME_OK && row->summary.median < FINALIST_RATIO * best->summary.median)
      g_ptr_array_add(finalists, row);
  }
  return finalists;
}

/*
 * Takes the measurements of the final, whose times decide. A finalist that failed there, or was wrong as a race may be,
 * must not win. Where the time was over before all of them ended, the others keep the times that they had.
 */
static void
take_final(Tuning *tuning, GPtrArray *finalists, MsMeasurement **measurements)
{
  MsReport *report = tuning->report;
  const MsReportRow *best = NULL;
  gboolean late = FALSE;

  for (guint i = 0; i < finalists->len; i++)
    late |= measurements[i]->outcome == MS_OUTCOME_TIMEOUT || measurements[i]->outcome == MS_OUTCOME_PENDING;
  for (guint i = 0; i < finalists->len; i++) {
    MsReportRow *row = finalists->pdata[i];
    const gboolean ok = measurements[i]->outcome == MS_OUTCOME_OK;
    if (late &&
        (ok || measurements[i]->outcome == MS_OUTCOME_TIMEOUT || measurements[i]->outcome == MS_OUTCOME_PENDING))
      continue;
    g_autoptr(MsFactors) factors = ms_tune_settings(row);
    measurements[i]->at_s = row->measurement->at_s;
    ms_tune_add(report, factors, g_steal_pointer(&measurements[i]));
    keep_row(tuning, row);
    if (ok && (!best || row->summary.median < best->summary.median))
      best = row;
  }
  if (!best)
    return;
  ms_factors_free(report->winner);
  report->winner = ms_tune_settings(best);
}

/*
 * The minimum over many noisy measurements is biased, so the finalists are measured again, interleaved, and those times
 * decide, unless the budget is spent before.
 */
static gboolean
decide_among_finalists(Tuning *tuning, double seconds, GCancellable *cancellable, GError **error)
{
  g_autoptr(GPtrArray) finalists = find_finalists(tuning->report);
  MsConfiguration *configurations[FINALISTS] = {NULL};
  MsMeasurement *measurements[FINALISTS] = {NULL};
  MsMeasureOptions careful = tuning->measure;
  gboolean good = TRUE;
  guint n = 0;

  careful.give_up_ns = 0;
  careful.min_repeats = 7;
  careful.time_s = seconds;
  careful.step_s = TRIAL_S;
  for (; n < finalists->len; n++) {
    g_autoptr(MsFactors) factors = ms_tune_settings(finalists->pdata[n]);
    configurations[n] = create_configuration(tuning, factors, FINAL, NULL);
    measurements[n] = ms_measurement_new();
    if (!configurations[n])
      break;
  }
  if (n >= 2 && n == finalists->len) {
    good = ms_measure(configurations, measurements, n, &careful, cancellable, error);
    if (good)
      take_final(tuning, finalists, measurements);
  }
  for (guint i = 0; i < FINALISTS; i++) {
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
  return ms_lab_log_count_deaths(tuning->request->log) > 0;
}

/* Whether the budget was spent by processes that the driver has ended. */
static gboolean
is_over(const Tuning *tuning)
{
  return is_continued(tuning) && tuning->request->budget_s > 0 && seconds_left(tuning, SEARCH_SHARE) <= LEAST_S;
}

/**
 * ms_lab_tune_problem: (transfer full): the class of the problem and the toggles that the caller fixed: `auto` must not
 * take a winner that was found with a setting fixed.
 */
char *
ms_lab_tune_problem(const MsFactors *problem)
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

/* On what the measurements of a search depend beside the settings. */
static char *
find_scope(const MsWinnerKey *key, const MsReport *report)
{
  g_autofree char *sources = ms_environment_hash_sources(report);

  return ms_lab_log_scope("tuning", key->device, key->driver, MS_VERSION, sources, key->problem, NULL);
}

/** ms_lab_tune_log_path: (transfer full): the file of what was tried for @key in @directory (%NULL: the user's one). */
char *
ms_lab_tune_log_path(const char *directory, const MsWinnerKey *key)
{
  return ms_winner_store_path(directory, key, ENDING);
}

static MsReport *
start_report(const MsWinnerKey *key, const MsFactors *problem)
{
  MsReport *report = ms_tune_report_new(key->problem, problem);

  report->device.name = g_strdup(key->device);
  report->device.driver = g_strdup(key->driver);
  report->program_version = g_strdup(MS_VERSION);
  return report;
}

/**
 * ms_lab_tune_load:
 *
 * Returns: (transfer full) (nullable): what this program tried for @key, with all settings of each configuration and
 *   the size of its picture, since searches of a class of problems differ in them
 */
MsReport *
ms_lab_tune_load(const char *directory, const MsWinnerKey *key)
{
  g_autofree char *path = ms_lab_tune_log_path(directory, key);
  g_autoptr(MsLabLog) log = ms_lab_log_open(path, FALSE, NULL);
  g_autoptr(MsFactors) none = ms_factors_new();
  const char *name;

  if (!log)
    return NULL;
  MsReport *report = start_report(key, none);
  g_autofree char *scope = find_scope(key, report), *start = g_strconcat(scope, TRIAL, NULL);
  for (guint i = 0; ms_lab_log_nth(log, i, &name); i++) {
    g_autoptr(MsFactors) factors = g_str_has_prefix(name, start) ? ms_factors_parse(name + strlen(start), NULL) : NULL;
    g_autoptr(MsMeasurement) m = ms_measurement_new();
    if (factors && ms_lab_log_restore(log, name, m))
      ms_tune_add(report, factors, g_steal_pointer(&m));
  }
  return report;
}

static void
on_trial(MsReport *report, const MsReportRow *trial, double fraction, gpointer data)
{
  const Tuning *tuning = data;

  if (trial)
    keep_row(tuning, trial);
  ms_tune_rank(report);
  if (tuning->request->progress)
    tuning->request->progress(report, trial, fraction, tuning->request->progress_data);
}

/* Searches from @start (nullable) and measures the finalists again, both within the budget. */
static gboolean
search(Tuning *tuning, const MsFactors *start, GCancellable *cancellable, GError **error)
{
  g_autoptr(MsTuneSpace) space = ms_tune_space_new(refuse, evaluate, tuning);
  const MsReportRow *best = ms_tune_best(tuning->report);

  ms_lab_filter_add_space(space, tuning->problem);
  tuning->report->space_size = ms_tune_space_size(space);
  if (is_over(tuning))
    return TRUE;
  tuning->best_ns = best ? best->summary.median : 0;
  const MsTuneOptions options = {.budget_s = seconds_left(tuning, SEARCH_SHARE),
                                 .is_continued = is_continued(tuning),
                                 .seed = tuning->request->seed,
                                 .start = start,
                                 .progress = on_trial,
                                 .progress_data = tuning};
  return ms_tune_search(space, tuning->report, &options, cancellable, error) &&
         decide_among_finalists(tuning, seconds_left(tuning, 1), cancellable, error);
}

/* (transfer full) (nullable): the settings that vary in a key of a measurement of this problem */
static MsFactors *
parse_key(const Tuning *tuning, const char *key, const char *phase)
{
  g_autofree char *start = g_strconcat(tuning->scope, phase, NULL);
  g_autoptr(MsFactors) all = g_str_has_prefix(key, start) ? ms_factors_parse(key + strlen(start), NULL) : NULL;
  g_autoptr(MsFactors) varied = ms_factors_new();

  if (!all || !ms_factors_contains(all, tuning->problem))
    return NULL;
  for (guint i = 0; i < ms_factors_size(all); i++) {
    const MsOptionInfo *option = ms_option_find(ms_factors_key(all, i));
    if (ms_factors_get(tuning->problem, ms_factors_key(all, i)))
      continue;
    if (!option || option->group != MS_OPTION_GROUP_TOGGLE)
      return NULL;
    ms_factors_set(varied, ms_factors_key(all, i), ms_factors_value(all, i));
  }
  return g_steal_pointer(&varied);
}

/* Takes what earlier searches of this problem have tried. */
static void
take_kept(Tuning *tuning)
{
  const char *key;

  for (guint i = 0; ms_lab_log_nth(tuning->kept, i, &key); i++) {
    g_autoptr(MsFactors) factors = parse_key(tuning, key, TRIAL);
    g_autoptr(MsMeasurement) m = ms_measurement_new();
    if (!factors || !ms_lab_log_restore(tuning->kept, key, m))
      continue;
    m->at_s = isfinite(m->at_s) ? m->at_s : 0;
    tuning->report->elapsed_s = fmax(tuning->report->elapsed_s, m->at_s);
    ms_tune_add(tuning->report, factors, g_steal_pointer(&m));
  }
}

/*
 * Takes the configurations that have ended processes of this command, of which a finalist must not win either. One that
 * the end of the budget ended may be tried again.
 */
static void
take_deaths(Tuning *tuning)
{
  const MsMeasurement *m;
  const char *key;

  if (is_continued(tuning))
    tuning->report->elapsed_s =
      fmax(tuning->report->elapsed_s, (double)(g_get_monotonic_time() - tuning->started_us) * 1e-6);
  for (guint i = 0; (m = ms_lab_log_nth(tuning->request->log, i, &key)); i++) {
    g_autoptr(MsFactors) trial = parse_key(tuning, key, TRIAL), final = parse_key(tuning, key, FINAL);
    const gboolean counts =
      m->outcome == MS_OUTCOME_RUN || (m->outcome == MS_OUTCOME_TIMEOUT && !final && !is_over(tuning));
    if (!counts || (!trial && !final))
      continue;
    MsMeasurement *death = ms_measurement_new();
    ms_measurement_fail(death, m->outcome, m->message, m->shown);
    death->at_s = tuning->report->elapsed_s;
    keep_row(tuning, ms_tune_add(tuning->report, trial ? trial : final, death));
  }
}

static gboolean
open_log(Tuning *tuning, const MsWinnerKey *key, GError **error)
{
  g_autofree char *path = ms_lab_tune_log_path(tuning->request->directory, key);

  if (!ms_folder_make_parent(path, MS_FOLDER_PRIVATE, error))
    return FALSE;
  tuning->kept = ms_lab_log_open(path, TRUE, error);
  if (tuning->kept && tuning->request->fresh)
    ms_lab_log_forget(tuning->kept, tuning->scope);
  return tuning->kept != NULL;
}

static gboolean
run_tuning(Tuning *tuning, const MsWinnerKey *key, GCancellable *cancellable, GError **error)
{
  const MsLabTuneRequest *request = tuning->request;
  MsReport *report = tuning->report;
  g_autoptr(MsFactors) start = NULL;

  if (!open_log(tuning, key, error))
    return FALSE;
  take_kept(tuning);
  take_deaths(tuning);
  if (report->rows->len > 0)
    on_trial(report, NULL, 0, tuning);
  ms_measure_options_init(&tuning->measure, TRUE);
  tuning->measure.budget_s = MIN(0.2, request->budget_s / 100);
  tuning->measure.log = request->log;
  tuning->bench->reference_s = REFERENCE_SHARE * seconds_left(tuning, 1);
  if (!is_over(tuning)) {
    start = ms_lab_filter_propose(tuning->bench, tuning->problem, cancellable, error);
    if (!start)
      return FALSE;
  }
  const gboolean good = search(tuning, start, cancellable, error);
  ms_tune_rank(report);
  return ms_winner_store_save(request->directory, key, MS_VERSION, report->winner, good ? error : NULL) && good;
}

/**
 * ms_lab_tune:
 *
 * Searches the toggles within the budget, of which the serial reference that verifies pictures takes a
 * fifth at most: it has fewer rows where the picture is too large. Keeps every configuration that it tried and the
 * winner, and goes on where an earlier search of the same device, driver, program and problem ended.
 *
 * Returns: (transfer full): the search, whose first row is the winner if there is one, see ms_tune_check()
 */
MsReport *
ms_lab_tune(const MsLabTuneRequest *request, GCancellable *cancellable, GError **error)
{
  g_autoptr(MsLabBench) bench = ms_lab_bench_new(request->context, NULL, request->image);
  g_autoptr(MsFactors) problem = make_problem(request);
  g_autofree char *name = ms_lab_tune_problem(problem);
  const MsDevice *device = request->context->device;
  const MsWinnerKey key = {device->name, device->driver, name};
  g_autoptr(MsReport) report = start_report(&key, problem);
  g_autofree char *scope = find_scope(&key, report);
  Tuning tuning = {.request = request,
                   .kind = ms_lab_kind_find("mean-shift"),
                   .bench = bench,
                   .problem = problem,
                   .report = report,
                   .scope = scope,
                   .started_us = ms_lab_log_start_clock(request->log)};

  if (!ms_lab_check_keys(tuning.kind, problem, error))
    return NULL;
  report->device.platform = g_strdup(device->platform);
  report->device.type = g_strdup(ms_device_type_name(device->limits.type));
  report->device.compute_units = device->limits.compute_units;
  report->device.by_wall_clock = request->context->by_wall_clock;
  report->restarts = ms_lab_log_count_deaths(request->log);
  const gboolean good = run_tuning(&tuning, &key, cancellable, error);
  ms_lab_log_free(tuning.kept);
  if (good)
    return g_steal_pointer(&report);
  if (request->unfinished && report->space_size > 0)
    *request->unfinished = g_steal_pointer(&report);
  return NULL;
}
