/* SPDX-License-Identifier: MIT */
#include "core/lab/lab.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "core/error.h"
#include "core/folder.h"
#include "core/lab/experiment/experiment-file.h"
#include "core/lab/kinds/kind.h"
#include "core/lab/report/environment.h"
#include "core/lab/report/report-metric.h"
#include "core/lab/report/report.h"
#include "core/reduce/bandwidth.h"
#include "core/reduce/serial.h"

/* One run of ms_lab_run_experiment(). */
typedef struct {
  MsExperiment *experiment;
  const MsLabRequest *request;
  MsReport *report;
  MsLabBench *bench;
  MsMeasureOptions measure;
  GCancellable *cancellable;
  MsLabLog *kept;      /* (nullable): in the folder for reports */
  char *scope;         /* what the keys of the rows begin with */
  MsMachineLoad began; /* the load before the experiment */
  guint done;
  guint attempt;            /* how often the group was measured before */
  GPtrArray *measured_rows; /* MsReportRow: those of the group being measured */
} Run;

/* A quick run measures nothing again, since it would take several times as long on a busy machine. */
#define RETRIES 2

/** ms_lab_request_init: writes no reports, filters generated scenes, measures with the default options. */
void
ms_lab_request_init(MsLabRequest *request, MsContext *context, gboolean quick)
{
  *request = (MsLabRequest){.context = context, .quick = quick, .retries = quick ? 0 : RETRIES};
  ms_measure_options_init(&request->measure, quick);
}

static const MsLabKind *
kind_of(const MsExperiment *experiment, const MsFactors *factors, GError **error)
{
  const char *name = ms_factors_get_or(factors, "kind", experiment->kind);
  const MsLabKind *kind = ms_lab_kind_find(name);

  if (!kind)
    ms_set_error(error, MS_ERROR_USAGE, "Experiment '%s' has an unknown kind, '%s'.", experiment->name, name);
  return kind;
}

static void
report_progress(Run *run, double fraction, const char *message)
{
  if (run->request->progress)
    run->request->progress(run->report, fraction, message, run->request->progress_data);
}

static void
describe_device(MsReportDevice *into, MsContext *context)
{
  MsDevice *device = context->device;

  into->name = g_strdup(device->name);
  into->platform = g_strdup(device->platform);
  into->driver = g_strdup(device->driver);
  into->type = g_strdup(ms_device_type_name(device->limits.type));
  into->compute_units = device->limits.compute_units;
  into->by_wall_clock = context->by_wall_clock;
}

/* The measured peak bandwidth only adds a column to the report, so an experiment runs without it. */
static gboolean
find_peak(Run *run, GError **error)
{
  static const char key[] = "the peak bandwidth";
  MsLabLog *log = run->request->log;
  g_autoptr(MsMeasurement) earlier = ms_measurement_new();
  g_autoptr(GError) local = NULL;
  MsBandwidth bandwidth;

  ms_lab_log_restore(log, key, earlier);
  if (earlier->outcome != MS_OUTCOME_PENDING) /* an earlier process died here */
    return TRUE;
  ms_lab_log_begin(log, key, run->measure.step_s);
  const gboolean good = ms_bandwidth_get(run->request->context, NULL, &bandwidth, run->cancellable, &local);
  ms_lab_log_end(log);
  if (!good)
    return !g_cancellable_set_error_if_cancelled(run->cancellable, error);
  run->report->device.peak_read_gb_per_s = bandwidth.read;
  run->report->device.peak_copy_gb_per_s = bandwidth.copy;
  return TRUE;
}

static gboolean
kind_takes_image(const char *name)
{
  const MsLabKind *kind = ms_lab_kind_find(name);

  return kind && kind->pictures;
}

/* Whether any of its configurations computes on a picture. */
static gboolean
takes_image(const MsExperiment *experiment)
{
  const MsAxis *kinds = ms_experiment_find_axis(experiment, "kind");

  for (guint i = 0; i < experiment->cases->len; i++)
    if (kind_takes_image(ms_factors_get(((const MsCase *)experiment->cases->pdata[i])->factors, "kind")))
      return TRUE;
  for (char **kind = kinds ? kinds->values : NULL; kind && *kind; kind++)
    if (kind_takes_image(*kind))
      return TRUE;
  return kind_takes_image(ms_factors_get_or(experiment->fixed, "kind", experiment->kind));
}

/* With the caller's image the size axis has one value, the size of that image. */
static GPtrArray *
expand_settings(Run *run)
{
  GPtrArray *all = ms_experiment_expand(run->experiment, run->request->quick);
  MsImage *image = run->bench->image;

  if (!image)
    return all;
  g_autofree char *size = g_strdup_printf("%dx%d", ms_image_get_width(image), ms_image_get_height(image));
  for (guint i = 0; i < all->len; i++)
    if (kind_takes_image(ms_factors_get_or(all->pdata[i], "kind", run->experiment->kind)))
      ms_factors_set(all->pdata[i], "size", size);
  for (guint i = 0; i < all->len; i++)
    for (guint k = all->len; k-- > i + 1;)
      if (ms_factors_equal(all->pdata[i], all->pdata[k]))
        g_ptr_array_remove_index(all, k);
  return all;
}

/* A baseline that no configuration has is a mistake in the file, which would leave every row without a comparison. */
static gboolean
check_rows(const Run *run, GError **error)
{
  const MsExperiment *e = run->experiment;
  const GPtrArray *rows = run->report->rows;

  if (rows->len == 0) {
    ms_set_error(error, MS_ERROR_USAGE, "The experiment '%s' has no configuration to run.", e->name);
    return FALSE;
  }
  for (guint i = 0; i < rows->len; i++)
    if (!e->baseline || ms_factors_contains(((const MsReportRow *)rows->pdata[i])->factors, e->baseline))
      return TRUE;
  g_autofree char *baseline = ms_factors_to_string(e->baseline);
  ms_set_error(error, MS_ERROR_USAGE, "No configuration of the experiment '%s' has the settings of its baseline, '%s'.",
               e->name, baseline);
  return FALSE;
}

static gboolean
make_rows(Run *run, GError **error)
{
  g_autoptr(GPtrArray) all = expand_settings(run);

  for (guint i = 0; i < all->len; i++) {
    const MsFactors *factors = all->pdata[i];
    const MsLabKind *kind = kind_of(run->experiment, factors, error);
    if (!kind || !ms_lab_check_keys(kind, factors, error))
      return FALSE;
    g_autofree char *label = ms_experiment_label(run->experiment, factors);
    g_autofree char *group = ms_lab_kind_group(kind, factors);
    ms_report_add_row(run->report, factors, label, group);
  }
  return check_rows(run, error);
}

static gboolean
save(Run *run, GError **error)
{
  const MsAtomicPlace place = {run->request->report_dir, run->request->report_folder, FALSE};

  ms_report_rank(run->report);
  return !place.folder || ms_report_save(run->report, &place, error);
}

static void
measure_progress(double fraction, guint index, const MsMeasurement *measurement, gpointer data)
{
  Run *run = data;
  MsReportRow *row = run->measured_rows->pdata[index];
  double total = run->report->rows->len;

  ms_report_finish_row(run->report, row);
  report_progress(run, (run->done + fraction * run->measured_rows->len) / total, row->label);
}

/* What names a row in the log, whose texts are UTF-8; names of files may not be. @attempt: of measuring its group */
static char *
row_key(const Run *run, const MsReportRow *row, guint attempt)
{
  g_autofree char *text = ms_factors_to_string(row->factors);
  g_autofree char *again = attempt > 0 ? g_strdup_printf("again %u: ", attempt) : g_strdup("");
  g_autofree char *key = g_strconcat(run->scope, again, text, NULL);

  return g_utf8_make_valid(key, -1);
}

/* (transfer full) (nullable): the configuration of a row; one that the plan refuses ends the row without an error. */
static MsConfiguration *
make_configuration(Run *run, const MsReportRow *row, GError **error)
{
  g_autoptr(GError) local = NULL;
  const MsLabKind *kind = kind_of(run->experiment, row->factors, error);
  MsConfiguration *configuration =
    kind ? ms_configuration_new(kind, run->bench, row->factors, row->label, &local) : NULL;

  if (configuration) {
    configuration->key = row_key(run, row, run->attempt);
  } else if (g_error_matches(local, MS_ERROR, MS_ERROR_USAGE)) { /* a malformed value ends the experiment */
    g_propagate_error(error, g_steal_pointer(&local));
    ms_prefix_error(error, "The experiment '%s', %s: ", run->experiment->name, row->label);
  } else if (local) {
    ms_measurement_fail_with(row->measurement, local);
  }
  return configuration;
}

/* For each row the index of its baseline, or its own index where the baseline does not run. */
static guint *
find_baselines(Run *run, GPtrArray *rows)
{
  guint *baselines = g_new(guint, rows->len);

  for (guint i = 0; i < rows->len; i++) {
    MsReportRow *baseline = ms_report_find_baseline(run->report, rows->pdata[i]);
    if (!baseline || !g_ptr_array_find(rows, baseline, &baselines[i]))
      baselines[i] = i;
  }
  return baselines;
}

/* Measures the rows that can run; fails when a value is malformed, or cancelled. */
static gboolean
measure_pending(Run *run, GPtrArray *members, GError **error)
{
  g_autoptr(GPtrArray) rows = g_ptr_array_new(), measurements = g_ptr_array_new();
  g_autoptr(GPtrArray) configurations = g_ptr_array_new_with_free_func((GDestroyNotify)ms_configuration_free);

  for (guint i = 0; i < members->len; i++) {
    MsReportRow *row = members->pdata[i];
    g_autoptr(GError) local = NULL;
    if (row->measurement->outcome != MS_OUTCOME_PENDING)
      continue;
    MsConfiguration *configuration = make_configuration(run, row, &local);
    if (local) {
      g_propagate_error(error, g_steal_pointer(&local));
      return FALSE;
    }
    if (!configuration)
      continue;
    g_ptr_array_add(rows, row);
    g_ptr_array_add(configurations, configuration);
    g_ptr_array_add(measurements, row->measurement);
  }
  if (rows->len == 0)
    return TRUE;
  g_autofree guint *baselines = find_baselines(run, rows);
  run->measure.baselines = baselines;
  run->measured_rows = rows;
  return ms_measure((MsConfiguration **)configurations->pdata, (MsMeasurement **)measurements->pdata,
                    configurations->len, &run->measure, run->cancellable, error);
}

/*
 * The load that others caused during a row, or where that was too short to tell, during its group, or where that was,
 * since the experiment began.
 */
static void
note_load(const Run *run, GPtrArray *members, const MsMachineLoad *before)
{
  const double lately = ms_machine_load_of_others(before);
  const double others = isfinite(lately) ? lately : ms_machine_load_of_others(&run->began);
  gboolean has_peer = FALSE; /* another program, which is not to count as a disturbance */

  for (guint i = 0; i < members->len; i++)
    has_peer |= ms_report_row_is_peer(members->pdata[i]);
  for (guint i = 0; i < members->len; i++) {
    MsMeasurement *m = ((MsReportRow *)members->pdata[i])->measurement;
    if (has_peer)
      m->conditions.foreign_load = NAN;
    else if (m->samples->len > 0 && !isfinite(m->conditions.foreign_load))
      m->conditions.foreign_load = others;
  }
}

/* Forgets what was measured, and how often it was. */
static void
measure_again(MsReportRow *row, guint repeated)
{
  ms_measurement_free(row->measurement);
  row->measurement = ms_measurement_new();
  row->measurement->conditions.repeated = repeated;
}

/*
 * Whether a group is to be measured again: all of it, since rows can be compared only where they ran side by side.
 * @pending: (element-type MsReportRow): those of its rows that were measured just now
 */
static gboolean
prepare_retry(Run *run, GPtrArray *pending)
{
  gboolean disturbed = FALSE;

  for (guint i = 0; i < pending->len; i++)
    disturbed |= ms_measurement_is_disturbed(((const MsReportRow *)pending->pdata[i])->measurement);
  if (!disturbed || run->request->accept_disturbed || run->attempt >= run->request->retries)
    return FALSE;
  run->attempt++;
  for (guint i = 0; i < pending->len; i++)
    if (((MsReportRow *)pending->pdata[i])->measurement->outcome == MS_OUTCOME_OK)
      measure_again(pending->pdata[i], run->attempt);
  return TRUE;
}

/* Measures the rows of a group interleaved, so that a change of the clock rate affects all. */
static gboolean
measure_group(Run *run, GPtrArray *members, GError **error)
{
  g_autoptr(GPtrArray) pending = g_ptr_array_new();
  gboolean good;

  for (guint i = 0; i < members->len; i++)
    if (((MsReportRow *)members->pdata[i])->measurement->outcome == MS_OUTCOME_PENDING)
      g_ptr_array_add(pending, members->pdata[i]);
  run->attempt = 0;
  do {
    const MsMachineLoad before = ms_machine_load_now();
    good = measure_pending(run, members, error);
    note_load(run, pending, &before);
  } while (good && prepare_retry(run, pending));
  ms_lab_bench_forget(run->bench);
  for (guint i = 0; i < members->len; i++)
    ms_report_finish_row(run->report, members->pdata[i]);
  run->done += members->len;
  return good;
}

/* (transfer container) (element-type GPtrArray): the rows of each group, in the order of their first ones. */
static GPtrArray *
list_groups(const MsReport *report)
{
  GPtrArray *groups = g_ptr_array_new_with_free_func((GDestroyNotify)g_ptr_array_unref);
  g_autoptr(GHashTable) by_name = g_hash_table_new(g_str_hash, g_str_equal);

  for (guint i = 0; i < report->rows->len; i++) {
    MsReportRow *row = report->rows->pdata[i];
    GPtrArray *members = g_hash_table_lookup(by_name, row->group);
    if (!members) {
      members = g_ptr_array_new();
      g_ptr_array_add(groups, members);
      g_hash_table_insert(by_name, row->group, members);
    }
    g_ptr_array_add(members, row);
  }
  return groups;
}

/* Keeps the rows of a group that was measured, for a later command. */
static gboolean
keep_group(Run *run, GPtrArray *members, GError **error)
{
  g_autoptr(GPtrArray) keys = g_ptr_array_new_with_free_func(g_free), measurements = g_ptr_array_new();

  for (guint i = 0; run->kept && i < members->len; i++) {
    g_ptr_array_add(keys, row_key(run, members->pdata[i], 0));
    g_ptr_array_add(measurements, ((const MsReportRow *)members->pdata[i])->measurement);
  }
  return !run->kept || ms_lab_log_write(run->kept, keys, measurements, error);
}

/* Rows are compared within rounds, so a group of which the log lacks a row is measured as a whole. */
static gboolean
restore_group(Run *run, GPtrArray *members)
{
  for (guint i = 0; i < members->len; i++) {
    g_autofree char *key = row_key(run, members->pdata[i], 0);
    if (!ms_lab_log_has(run->kept, key))
      return FALSE;
  }
  for (guint i = 0; i < members->len; i++) {
    MsReportRow *row = members->pdata[i];
    g_autofree char *key = row_key(run, row, 0);
    ms_lab_log_restore(run->kept, key, row->measurement);
    ms_report_finish_row(run->report, row);
  }
  run->done += members->len;
  return TRUE;
}

/* A row that is faster than the peak shows that the peak was measured while the machine was busy. */
static void
confirm_peak(Run *run)
{
  const MsMetric *rate = ms_metric_find("gb-per-s");
  MsReportDevice *device = &run->report->device;
  MsBandwidth peak = {device->peak_read_gb_per_s, device->peak_copy_gb_per_s};
  double most = 0;

  for (guint i = 0; i < run->report->rows->len; i++)
    most = fmax(most, ms_metric_value(rate, run->report->rows->pdata[i]));
  if (!(most > peak.read))
    return;
  ms_bandwidth_confirm(run->request->context, NULL, most, &peak, run->cancellable);
  device->peak_read_gb_per_s = peak.read;
  device->peak_copy_gb_per_s = peak.copy;
}

/*
 * Takes the groups that an earlier command measured on the same device, with the same driver, program and kernels, and
 * measures the others. An experiment that a command has finished is measured anew, unless it is to be resumed; with all
 * its rows, its report is the one of that command.
 */
static gboolean
measure_groups(Run *run, GError **error)
{
  g_autoptr(GPtrArray) groups = list_groups(run->report);
  JsonObject *head = run->kept ? ms_lab_log_find_complete(run->kept, run->scope) : NULL;
  gboolean has_peak = FALSE;

  if (head && !run->request->resume) {
    ms_lab_log_forget(run->kept, run->scope);
    head = NULL;
  }
  for (guint i = 0; i < groups->len; i++) {
    if (restore_group(run, groups->pdata[i]))
      continue;
    if (!has_peak && !find_peak(run, error))
      return FALSE;
    has_peak = TRUE;
    if (!measure_group(run, groups->pdata[i], error) || !keep_group(run, groups->pdata[i], error))
      return FALSE;
  }
  if (!has_peak && head) {
    ms_record_get(&ms_report_head_record, run->report, head);
    return TRUE;
  }
  if (!has_peak && !find_peak(run, error))
    return FALSE;
  confirm_peak(run);
  return TRUE;
}

/* What the keys of the rows begin with: all on which every row depends beside its factors. */
static char *
find_scope(const Run *run)
{
  const MsReport *report = run->report;
  g_autofree char *about = g_strdup_printf("%d %u", report->quick, (guint)report->experiment->columns);

  return ms_lab_log_scope(report->experiment->name, report->device.name, report->device.driver, MS_VERSION,
                          report->sources, report->experiment->name, report->input ? report->input : "", about, NULL);
}

static gboolean
open_log(Run *run, GError **error)
{
  const char *folder = run->request->report_dir;
  g_autofree char *path = folder ? g_build_filename(folder, MS_REPORT_LOG, NULL) : NULL;

  run->report->sources = ms_environment_hash_sources(run->report);
  run->scope = find_scope(run);
  if (!folder)
    return TRUE;
  run->kept = ms_folder_make(folder, MS_FOLDER_SHARED, error) ? ms_lab_log_open(path, TRUE, error) : NULL;
  return run->kept != NULL;
}

static MsReport *
start_report(const MsLabRequest *request, MsExperiment *experiment)
{
  MsReport *report = ms_report_new(experiment);

  report->quick = request->quick;
  report->noise = request->measure.noise;
  report->seed = request->measure.seed;
  report->accept_disturbed = request->accept_disturbed;
  report->input = g_strdup(request->image && takes_image(experiment) ? request->input : NULL);
  report->restarts = ms_lab_log_count_deaths(request->log);
  report->program_version = g_strdup(MS_VERSION);
  report->compiler = g_strdup(ms_serial_compiler());
  describe_device(&report->device, request->context);
  return report;
}

static gboolean
run_experiment(Run *run, GError **error)
{
  g_autoptr(GError) ignored = NULL;

  if (!make_rows(run, error) || !open_log(run, error))
    return FALSE;
  report_progress(run, 0, run->experiment->title);
  if (!measure_groups(run, error)) {
    save(run, &ignored);
    return FALSE;
  }
  run->report->complete = TRUE;
  report_progress(run, 1, run->experiment->title);
  if (!save(run, error))
    return FALSE;
  return !run->kept || ms_lab_log_find_complete(run->kept, run->scope) ||
         ms_lab_log_complete(run->kept, run->scope, ms_record_to_node(&ms_report_head_record, run->report), error);
}

/**
 * ms_lab_run_experiment:
 * @experiment: (inout): what to run; it gets the columns that @request asks for
 * @request: on what and how
 *
 * Every configuration of the experiment becomes a row of the report: measured and verified, or listed with why it was
 * not. When @request has a folder for reports, its log gets the rows of every group of configurations, and tables and
 * charts are written at the end. Rows of an experiment that was interrupted are taken from that log. A finished one is
 * measured again, or is as it was if @resume is set.
 *
 * Returns: (transfer full): the report; %NULL when cancelled, when a key is unknown, or when a file cannot be written
 */
MsReport *
ms_lab_run_experiment(MsExperiment *experiment, const MsLabRequest *request, GCancellable *cancellable, GError **error)
{
  MsImage *image = takes_image(experiment) ? request->image : NULL;
  g_autoptr(MsLabBench) bench = ms_lab_bench_new(request->context, request->contexts, image);
  g_autoptr(MsSensor) sensor = request->sensor ? NULL : ms_sensor_open(request->context->device);
  Run run = {.experiment = experiment,
             .request = request,
             .report = start_report(request, experiment),
             .bench = bench,
             .measure = request->measure,
             .cancellable = cancellable,
             .began = ms_machine_load_now()};

  experiment->columns |= request->columns;
  bench->columns = experiment->columns;
  run.measure.energy = !request->quick || ms_metric_is_of_energy(experiment->plot.y);
  run.measure.sensor = request->sensor ? request->sensor : sensor;
  run.measure.log = request->log;
  run.measure.progress = measure_progress;
  run.measure.progress_data = &run;
  const gboolean good = run_experiment(&run, error);
  g_clear_pointer(&run.kept, ms_lab_log_free);
  g_free(run.scope);
  if (good)
    return run.report;
  ms_report_rank(run.report);
  if (request->unfinished)
    g_ptr_array_add(request->unfinished, run.report);
  else
    ms_report_unref(run.report);
  return NULL;
}

/** ms_lab_list_text: (transfer full): the shipped experiments with what they vary, for a terminal. */
char *
ms_lab_list_text(GError **error)
{
  g_autoptr(GPtrArray) all = ms_experiment_list(error);
  g_autoptr(GString) text = g_string_new(NULL);

  if (!all)
    return NULL;
  for (guint i = 0; i < all->len; i++) {
    const MsExperiment *e = all->pdata[i];
    g_autofree char *axes = ms_experiment_describe_axes(e, FALSE);
    gboolean known = e->study && *e->study;
    g_string_append_printf(text, "%-24s %s", e->name, ms_experiment_text(e->title, MS_LANGUAGE_USER));
    if (known)
      g_string_append_printf(text, " [%s %s]", e->study, e->section ? e->section : "");
    g_string_append_printf(text, "\n%-24s %s\n", "", axes);
  }
  return g_string_free(g_steal_pointer(&text), FALSE);
}

/**
 * ms_lab_list_nodes: (transfer full) (element-type JsonNode): the shipped experiments as JSON trees, each as in a
 * report; the caller frees the nodes.
 */
GPtrArray *
ms_lab_list_nodes(GError **error)
{
  g_autoptr(GPtrArray) all = ms_experiment_list(error);
  GPtrArray *nodes = all ? g_ptr_array_new() : NULL;

  for (guint i = 0; all && i < all->len; i++)
    g_ptr_array_add(nodes, ms_record_to_node(&ms_experiment_record, all->pdata[i]));
  return nodes;
}

static GPtrArray *
load_experiments(const char *const *names, GError **error)
{
  g_autoptr(GPtrArray) all = g_ptr_array_new_with_free_func((GDestroyNotify)ms_experiment_unref);

  for (const char *const *name = names; *name; name++) {
    if (strcmp(*name, "all") == 0) {
      g_autoptr(GPtrArray) shipped = ms_experiment_list(error);
      if (!shipped)
        return NULL;
      g_ptr_array_extend_and_steal(all, g_steal_pointer(&shipped));
      continue;
    }
    MsExperiment *one = ms_experiment_load(*name, error);
    if (!one)
      return NULL;
    g_ptr_array_add(all, one);
  }
  return g_steal_pointer(&all);
}

/**
 * ms_lab_report_paths:
 *
 * Returns: (transfer full) (element-type filename): the files that ms_lab_run_experiments() writes for these
 *   experiments
 */
GPtrArray *
ms_lab_report_paths(const char *const *names, const char *directory, GError **error)
{
  g_autoptr(GPtrArray) experiments = load_experiments(names, error);
  g_autoptr(GPtrArray) paths = g_ptr_array_new_with_free_func(g_free);

  if (!experiments)
    return NULL;
  for (guint i = 0; i < experiments->len; i++)
    ms_report_add_paths(((MsExperiment *)experiments->pdata[i])->name, directory, paths);
  g_ptr_array_add(paths, g_build_filename(directory, MS_REPORT_LOG, NULL));
  g_ptr_array_add(paths, g_build_filename(directory, MS_REPORT_INDEX, NULL));
  g_ptr_array_add(paths, g_build_filename(directory, MS_ENVIRONMENT_FILE, NULL));
  g_ptr_array_add(paths, g_build_filename(directory, MS_REPORT_DOCUMENT, NULL));
  return g_steal_pointer(&paths);
}

/* Puts the reports of the finished experiments in front of the report of the one that failed. */
static void
keep_finished(const MsLabRequest *request, GPtrArray *reports)
{
  for (guint i = 0; request->unfinished && i < reports->len; i++)
    g_ptr_array_insert(request->unfinished, (gint)i, ms_report_ref(reports->pdata[i]));
}

/* Where only some experiments compute on a picture, the others run without it. */
static gboolean
check_image(const MsLabRequest *request, GPtrArray *experiments, GError **error)
{
  for (guint i = 0; i < experiments->len; i++)
    if (!request->image || takes_image(experiments->pdata[i]))
      return TRUE;
  ms_set_error(error, MS_ERROR_USAGE, "The experiment '%s' takes no image; it computes on generated numbers.",
               ((MsExperiment *)experiments->pdata[0])->name);
  return FALSE;
}

static gboolean
save_index(GPtrArray *reports, const MsLabRequest *request, const MsAtomicPlace *place, GError **error)
{
  return !place->folder ||
         (ms_report_save_index(reports, place, error) && ms_environment_save(reports, request->context, place, error));
}

/* (transfer full): the reports; @place: of their files, if it has a folder */
static GPtrArray *
run_all(GPtrArray *experiments, const MsLabRequest *request, const MsAtomicPlace *place, GCancellable *cancellable,
        GError **error)
{
  g_autoptr(GPtrArray) reports = g_ptr_array_new_with_free_func((GDestroyNotify)ms_report_unref);
  MsLabRequest held = *request;

  held.report_folder = place->id;
  for (guint i = 0; i < experiments->len; i++) {
    MsReport *report = ms_lab_run_experiment(experiments->pdata[i], &held, cancellable, error);
    if (!report) {
      keep_finished(request, reports);
      return NULL;
    }
    g_ptr_array_add(reports, report);
  }
  return save_index(reports, request, place, error) ? g_steal_pointer(&reports) : NULL;
}

/**
 * ms_lab_run_experiments:
 * @names: names of shipped experiments, paths of files, or "all"
 *
 * All files are read before the first experiment begins. With a folder for reports, index.html is written at the end.
 *
 * Returns: (transfer full) (element-type MsReport): the reports, in order
 */
GPtrArray *
ms_lab_run_experiments(const char *const *names, const MsLabRequest *request, GCancellable *cancellable, GError **error)
{
  g_autoptr(GPtrArray) experiments = load_experiments(names, error);
  MsAtomicPlace place = {.folder = request->report_dir};

  if (!experiments || !check_image(request, experiments, error) ||
      (place.folder && !ms_folder_make(place.folder, MS_FOLDER_SHARED, error)))
    return NULL;
  const int folder = place.folder ? ms_atomic_place_hold(&place) : -1;
  GPtrArray *reports = run_all(experiments, request, &place, cancellable, error);
  if (folder >= 0)
    close(folder);
  return reports;
}

/**
 * ms_lab_baseline_load:
 * @path: a report of one experiment, NAME.json, or of several, as --json writes it
 * @names: as for ms_lab_run_experiments(): the experiments about to run
 *
 * Returns: (transfer full) (element-type MsReport): the reports in the file, or %NULL when it cannot be read or holds
 *   none of the experiments
 */
GPtrArray *
ms_lab_baseline_load(const char *path, const char *const *names, GError **error)
{
  g_autoptr(GPtrArray) reports = ms_reports_load_named(path, error);
  g_autoptr(GPtrArray) experiments = reports ? load_experiments(names, error) : NULL;

  if (!reports || !experiments)
    return NULL;
  for (guint i = 0; i < experiments->len; i++)
    if (ms_reports_find(reports, ((MsExperiment *)experiments->pdata[i])->name))
      return g_steal_pointer(&reports);
  ms_set_error(error, MS_ERROR_USAGE, "%s reports on the experiment '%s', which is not among those to run.", path,
               ((MsReport *)reports->pdata[0])->experiment->name);
  return NULL;
}
