/* SPDX-License-Identifier: MIT */
#include "core/lab/lab.h"

#include <math.h>
#include <string.h>

#include "core/error.h"
#include "core/lab/bench.h"
#include "core/reduce/bandwidth.h"

/* An experiment while it runs. */
typedef struct {
  MsExperiment *experiment;
  const MsLabRequest *request;
  MsReport *report;
  MsLabBench *bench;
  MsMeasureOptions measure;
  GCancellable *cancellable;
  guint done;
  GPtrArray *group_rows; /* MsReportRow of the group that is measured */
} Run;

/** ms_lab_request_init: nothing written, no image, usual measuring. */
void
ms_lab_request_init(MsLabRequest *request, MsContext *context, gboolean quick)
{
  *request = (MsLabRequest){.context = context, .quick = quick};
  ms_measure_options_init(&request->measure, quick);
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
    g_string_append_printf(text, "%-24s %s%s%s%s\n%-24s %s\n", e->name, e->title,
                           e->study && *e->study ? " [" : "", e->study && *e->study ? e->study : "",
                           e->study && *e->study ? "]" : "", "", axes);
  }
  return g_string_free(g_steal_pointer(&text), FALSE);
}

static const MsLabKind *
kind_of(const MsExperiment *experiment, const MsFactors *settings, GError **error)
{
  const char *name = ms_factors_get_or(settings, "kind", experiment->kind);
  const MsLabKind *kind = ms_lab_kind_find(name);

  if (!kind)
    g_set_error(error, MS_ERROR, MS_ERROR_USAGE, "The experiment “%s” is of an unknown kind, “%s”.",
                experiment->name, name);
  return kind;
}

static void
describe_device(MsReportDevice *into, MsContext *context)
{
  MsDevice *device = ms_context_get_device(context);

  into->name = g_strdup(ms_device_get_name(device));
  into->platform = g_strdup(ms_device_get_platform(device));
  into->driver = g_strdup(ms_device_get_driver(device));
  into->type = g_strdup(ms_device_type_name(ms_device_get_limits(device)->type));
  into->compute_units = ms_device_get_limits(device)->compute_units;
}

/* The peak is a help for reading the figures, not a condition for taking them. */
static gboolean
find_peak(Run *run, GError **error)
{
  g_autoptr(GError) local = NULL;
  MsBandwidth bandwidth;

  if (!ms_bandwidth_get(run->request->context, NULL, &bandwidth, run->cancellable, &local))
    return !g_cancellable_set_error_if_cancelled(run->cancellable, error);
  run->report->device.peak_read_gb_per_s = bandwidth.read;
  run->report->device.peak_copy_gb_per_s = bandwidth.copy;
  return TRUE;
}

/* On an image of the caller's the size does not vary: it is that image's, once. */
static GPtrArray *
expand_settings(Run *run)
{
  GPtrArray *all = ms_experiment_expand(run->experiment, run->request->quick);
  MsImage *image = run->request->image;

  if (!image || strcmp(run->experiment->kind, "reduce") == 0)
    return all;
  g_autofree char *size = g_strdup_printf("%dx%d", ms_image_get_width(image), ms_image_get_height(image));
  for (guint i = 0; i < all->len; i++)
    ms_factors_set(all->pdata[i], "size", size);
  for (guint i = 0; i < all->len; i++)
    for (guint k = all->len; k-- > i + 1;)
      if (ms_factors_equal(all->pdata[i], all->pdata[k]))
        g_ptr_array_remove_index(all, k);
  return all;
}

static gboolean
make_rows(Run *run, GError **error)
{
  g_autoptr(GPtrArray) all = expand_settings(run);

  for (guint i = 0; i < all->len; i++) {
    const MsFactors *settings = all->pdata[i];
    const MsLabKind *kind = kind_of(run->experiment, settings, error);
    if (!kind || !ms_lab_check_keys(kind, settings, error))
      return FALSE;
    g_autofree char *label = ms_experiment_label(run->experiment, settings);
    g_autofree char *group = kind->group(settings);
    ms_report_add_row(run->report, settings, label, group);
  }
  if (all->len > 0)
    return TRUE;
  g_set_error(error, MS_ERROR, MS_ERROR_USAGE, "The experiment “%s” has no configuration to run.",
              run->experiment->name);
  return FALSE;
}

static void
tell(Run *run, const MsReportRow *row, double fraction, const char *message)
{
  if (run->request->progress)
    run->request->progress(run->report, row, fraction, message, run->request->progress_data);
}

static void
measure_progress(double fraction, guint index, const MsMeasurement *measurement, gpointer data)
{
  Run *run = data;
  MsReportRow *row = run->group_rows->pdata[index];
  double total = run->report->rows->len;

  ms_report_finish_row(run->report, row);
  tell(run, row, (run->done + fraction * run->group_rows->len) / total, row->label);
}

/* Makes the subject of a row; a refusal ends the row, a value that means nothing ends the experiment. */
static gboolean
make_subject(Run *run, MsReportRow *row, MsSubject **subject, GError **error)
{
  g_autoptr(GError) local = NULL;
  const MsLabKind *kind = kind_of(run->experiment, row->settings, error);

  *subject = NULL;
  if (!kind)
    return FALSE;
  *subject = kind->create(run->bench, row->settings, row->label, &local);
  if (*subject)
    return TRUE;
  if (g_error_matches(local, MS_ERROR, MS_ERROR_USAGE)) {
    g_propagate_prefixed_error(error, g_steal_pointer(&local),
                               "The experiment “%s”, %s: ", run->experiment->name, row->label);
    return FALSE;
  }
  ms_measurement_fail(row->measurement, ms_outcome_from_error(local), local->message);
  return TRUE;
}

static void
finish_group(Run *run)
{
  for (guint i = 0; i < run->group_rows->len; i++)
    ms_report_finish_row(run->report, run->group_rows->pdata[i]);
  run->done += run->group_rows->len;
}

/* Measures the rows of one group together, so that drift hits all of them alike. */
static gboolean
measure_group(Run *run, GError **error)
{
  guint n = 0, total = run->group_rows->len;
  g_autofree MsSubject **subjects = g_new0(MsSubject *, total);
  g_autofree MsMeasurement **measurements = g_new0(MsMeasurement *, total);
  g_autoptr(GPtrArray) rows = g_ptr_array_new();
  gboolean good = TRUE;

  for (guint i = 0; i < total && good; i++) {
    MsReportRow *row = run->group_rows->pdata[i];
    if (row->measurement->outcome != MS_OUTCOME_PENDING)
      continue;
    good = make_subject(run, row, &subjects[n], error);
    if (!subjects[n])
      continue;
    measurements[n++] = row->measurement;
    g_ptr_array_add(rows, row);
  }
  GPtrArray *whole = run->group_rows;
  run->group_rows = rows;
  good = good &&
         ms_measure(subjects, measurements, n, &run->measure, measure_progress, run, run->cancellable, error);
  run->group_rows = whole;
  for (guint i = 0; i < n; i++)
    ms_subject_free(subjects[i]);
  ms_lab_bench_forget(run->bench);
  finish_group(run);
  return good;
}

static gboolean
save(Run *run, GError **error)
{
  ms_report_rank(run->report);
  return !run->request->report_dir || ms_report_save(run->report, run->request->report_dir, error);
}

static gboolean
measure_groups(Run *run, GError **error)
{
  g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
  GPtrArray *rows = run->report->rows;

  for (guint i = 0; i < rows->len; i++) {
    const char *group = ((MsReportRow *)rows->pdata[i])->group;
    if (!g_hash_table_add(seen, (gpointer)group))
      continue;
    g_autoptr(GPtrArray) members = g_ptr_array_new();
    for (guint k = i; k < rows->len; k++)
      if (strcmp(((MsReportRow *)rows->pdata[k])->group, group) == 0)
        g_ptr_array_add(members, rows->pdata[k]);
    run->group_rows = members;
    if (!measure_group(run, error) || !save(run, error))
      return FALSE;
  }
  return TRUE;
}

/*
 * Whether an interrupted report went by the same device, sizes and input, so that its figures may stand
 * beside new ones.
 */
static gboolean
fits(const MsReport *old, const MsReport *new)
{
  return !old->complete && old->quick == new->quick &&g_strcmp0(old->device.name, new->device.name) == 0 &&
         g_strcmp0(old->device.driver, new->device.driver) == 0 && g_strcmp0(old->input, new->input) == 0 &&
         g_strcmp0(old->program_version, new->program_version) == 0;
}

static void
adopt_row(MsReportRow *row, MsReportRow *old)
{
  MsMeasurement *fresh = row->measurement;

  row->measurement = old->measurement;
  row->summary = old->summary;
  old->measurement = fresh;
}

static void
resume(Run *run)
{
  const char *folder = run->request->report_dir;
  g_autofree char *file = g_strconcat(run->experiment->name, ".json", NULL);
  g_autofree char *path = folder ? g_build_filename(folder, file, NULL) : NULL;
  g_autoptr(MsReport) old = path ? ms_report_load(path, NULL) : NULL;

  if (!old || !fits(old, run->report))
    return;
  for (guint i = 0; i < run->report->rows->len; i++) {
    MsReportRow *row = run->report->rows->pdata[i];
    MsReportRow *known = ms_report_find_row(old, row->settings);
    if (known && known->measurement->outcome != MS_OUTCOME_PENDING)
      adopt_row(row, known);
  }
}

static gboolean
wants_energy(const MsExperiment *experiment, const MsLabRequest *request)
{
  return !request->quick || strcmp(experiment->plot.y, "energy") == 0 ||
         strcmp(experiment->plot.y, "power") == 0;
}

static MsEnergy *
open_energy(const MsLabRequest *request)
{
  MsDevice *device = ms_context_get_device(request->context);
  gboolean gpu = ms_device_get_limits(device)->type == MS_DEVICE_TYPE_GPU;

  return ms_energy_open(gpu ? MS_ENERGY_GPU : MS_ENERGY_CPU, ms_device_get_name(device));
}

static MsReport *
start_report(const MsLabRequest *request, MsExperiment *experiment)
{
  MsReport *report = ms_report_new(experiment);

  report->quick = request->quick;
  report->noise = request->measure.noise;
  report->seed = request->measure.seed;
  report->input = g_strdup(request->image ? request->input : NULL);
  report->program_version = g_strdup(MS_VERSION);
  describe_device(&report->device, request->context);
  return report;
}

static gboolean
run_experiment(Run *run, GError **error)
{
  g_autoptr(GError) ignored = NULL;

  if (!make_rows(run, error))
    return FALSE;
  resume(run);
  tell(run, NULL, 0, run->experiment->title);
  if (!find_peak(run, error))
    return FALSE;
  if (!measure_groups(run, error)) {
    save(run, &ignored); /* what there is can be gone on with */
    return FALSE;
  }
  run->report->complete = TRUE;
  tell(run, NULL, 1, run->experiment->title);
  return save(run, error);
}

/**
 * ms_lab_run_experiment:
 * @experiment: what to run
 * @request: on what and how
 *
 * Every configuration of the experiment becomes a row of the report: measured and verified, or listed with
 * why it was not. When
 * @request has a folder for reports, they are written after every group of configurations, and an
 *   interrupted report found
 * there is gone on with.
 *
 * Returns: (transfer full): the report; %NULL when cancelled, when a setting means nothing, or when a file
 * cannot be written
 */
MsReport *
ms_lab_run_experiment(MsExperiment *experiment, const MsLabRequest *request, GCancellable *cancellable,
                      GError **error)
{
  g_autoptr(MsReport) report = start_report(request, experiment);
  g_autoptr(MsLabBench) bench = ms_lab_bench_new(request->context, request->contexts, request->image);
  g_autoptr(MsEnergy) energy = wants_energy(experiment, request) ? open_energy(request) : NULL;
  Run run = {.experiment = experiment,
             .request = request,
             .report = report,
             .bench = bench,
             .measure = request->measure,
             .cancellable = cancellable};

  run.measure.energy = energy;
  return run_experiment(&run, error) ? g_steal_pointer(&report) : NULL;
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
 * ms_lab_run_experiments:
 * @names: names of shipped experiments, paths of files, or "all"
 *
 * All files are read before the first experiment begins. With a folder for reports, index.html is written at
 * the end.
 *
 * Returns: (transfer full) (element-type MsReport): the reports, in order
 */
GPtrArray *
ms_lab_run_experiments(const char *const *names, const MsLabRequest *request, GCancellable *cancellable,
                       GError **error)
{
  g_autoptr(GPtrArray) experiments = load_experiments(names, error);
  g_autoptr(GPtrArray) reports = g_ptr_array_new_with_free_func((GDestroyNotify)ms_report_unref);

  if (!experiments)
    return NULL;
  for (guint i = 0; i < experiments->len; i++) {
    MsReport *report = ms_lab_run_experiment(experiments->pdata[i], request, cancellable, error);
    if (!report)
      return NULL;
    g_ptr_array_add(reports, report);
  }
  if (request->report_dir && !ms_report_save_index(reports, request->report_dir, error))
    return NULL;
  return g_steal_pointer(&reports);
}

/**
 * ms_lab_compare:
 * @baseline_path: an earlier report, NAME.json
 * @reports: (element-type MsReport): those of now
 * @noise: relative difference that counts as none
 *
 * Returns: (transfer full) (element-type MsComparison): one for each report of the same experiment; %NULL
 * when there is none
 */
GPtrArray *
ms_lab_compare(const char *baseline_path, GPtrArray *reports, double noise, GError **error)
{
  g_autoptr(MsReport) baseline = ms_report_load(baseline_path, error);
  g_autoptr(GPtrArray) all = g_ptr_array_new_with_free_func((GDestroyNotify)ms_comparison_free);

  if (!baseline)
    return NULL;
  for (guint i = 0; i < reports->len; i++) {
    MsReport *report = reports->pdata[i];
    if (strcmp(report->experiment->name, baseline->experiment->name) == 0)
      g_ptr_array_add(all, ms_compare_reports(baseline, report, noise));
  }
  if (all->len > 0)
    return g_steal_pointer(&all);
  g_set_error(error, MS_ERROR, MS_ERROR_USAGE, "%s is a report of the experiment “%s”, which was not run.",
              baseline_path, baseline->experiment->name);
  return NULL;
}

/** ms_lab_comparisons_slower: whether anything got slower beyond the noise. */
gboolean
ms_lab_comparisons_slower(GPtrArray *comparisons)
{
  for (guint i = 0; i < comparisons->len; i++)
    if (((MsComparison *)comparisons->pdata[i])->slower > 0)
      return TRUE;
  return FALSE;
}
