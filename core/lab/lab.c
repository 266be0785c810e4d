/* SPDX-License-Identifier: MIT */
#include "core/lab/lab.h"

#include <math.h>
#include <string.h>

#include "core/error.h"
#include "core/lab/kinds/anchor.h"
#include "core/lab/kinds/kind.h"
#include "core/lab/report/report-save.h"
#include "core/lab/report/resume.h"
#include "core/reduce/bandwidth.h"

/* One run of ms_lab_run_experiment(). */
typedef struct {
  MsExperiment *experiment;
  const MsLabRequest *request;
  MsReport *report;
  MsLabBench *bench;
  MsMeasureOptions measure;
  GCancellable *cancellable;
  guint done;
  GPtrArray *group_rows; /* MsReportRow: the group being measured */
} Run;

/** ms_lab_request_init: writes no reports, filters generated scenes, measures with the default options. */
void
ms_lab_request_init(MsLabRequest *request, MsContext *context, gboolean quick)
{
  *request = (MsLabRequest){.context = context, .quick = quick};
  ms_measure_options_init(&request->measure, quick);
}

static const MsLabKind *
kind_of(const MsExperiment *experiment, const MsFactors *factors, GError **error)
{
  const char *name = ms_factors_get_or(factors, "kind", experiment->kind);
  const MsLabKind *kind = ms_lab_kind_find(name);

  if (!kind)
    g_set_error(error, MS_ERROR, MS_ERROR_USAGE,
                "The experiment “%s” is of an unknown kind, "
                "“%s”.",
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

/* The measured peak bandwidth only adds a column to the report, so an experiment runs without it. */
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

/* With the caller's image the size axis has one value, the size of that image. */
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
    const MsFactors *factors = all->pdata[i];
    const MsLabKind *kind = kind_of(run->experiment, factors, error);
    if (!kind || !ms_lab_check_keys(kind, factors, error))
      return FALSE;
    g_autofree char *label = ms_experiment_label(run->experiment, factors);
    g_autofree char *group = kind->group(factors);
    ms_report_add_row(run->report, factors, label, group);
  }
  if (all->len > 0)
    return TRUE;
  g_set_error(error, MS_ERROR, MS_ERROR_USAGE, "The experiment “%s” has no configuration to run.",
              run->experiment->name);
  return FALSE;
}

static void
report_progress(Run *run, const MsReportRow *row, double fraction, const char *message)
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
  report_progress(run, row, (run->done + fraction * run->group_rows->len) / total, row->label);
}

/*
 * Makes the subject of a row; a configuration that the plan refuses ends the row, a value of the wrong form ends the
 * experiment.
 */
static gboolean
make_subject(Run *run, MsReportRow *row, MsSubject **subject, GError **error)
{
  g_autoptr(GError) local = NULL;
  const MsLabKind *kind = kind_of(run->experiment, row->factors, error);

  *subject = NULL;
  if (!kind)
    return FALSE;
  *subject = kind->create(run->bench, row->factors, row->label, &local);
  if (*subject)
    return TRUE;
  if (g_error_matches(local, MS_ERROR, MS_ERROR_USAGE)) {
    g_propagate_prefixed_error(error, g_steal_pointer(&local), "The experiment “%s”, %s: ", run->experiment->name,
                               row->label);
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

/* The subjects of one call of ms_measure(): the rows that can run, and after them the anchor. */
typedef struct {
  GPtrArray *rows;     /* MsReportRow, without the anchor */
  GPtrArray *subjects; /* MsSubject */
  GPtrArray *measurements;
} Group;

static void
group_init(Group *group)
{
  group->rows = g_ptr_array_new();
  group->subjects = g_ptr_array_new_with_free_func((GDestroyNotify)ms_subject_free);
  group->measurements = g_ptr_array_new();
}

static void
group_clear(Group *group)
{
  g_ptr_array_unref(group->rows);
  g_ptr_array_unref(group->subjects);
  g_ptr_array_unref(group->measurements);
}

static void
group_add(Group *group, MsSubject *subject, MsMeasurement *measurement)
{
  g_ptr_array_add(group->subjects, subject);
  g_ptr_array_add(group->measurements, measurement);
}

static gboolean
add_pending_rows(Run *run, Group *group, GError **error)
{
  for (guint i = 0; i < run->group_rows->len; i++) {
    MsReportRow *row = run->group_rows->pdata[i];
    MsSubject *subject;
    if (row->measurement->outcome != MS_OUTCOME_PENDING)
      continue;
    if (!make_subject(run, row, &subject, error))
      return FALSE;
    if (!subject)
      continue;
    group_add(group, subject, row->measurement);
    g_ptr_array_add(group->rows, row);
  }
  return TRUE;
}

static void
add_anchor(Run *run, Group *group)
{
  const char *name = ((MsReportRow *)run->group_rows->pdata[0])->group;
  MsMeasurement *measurement = ms_measurement_new();

  g_hash_table_insert(run->report->anchors, g_strdup(name), measurement);
  group_add(group, ms_lab_anchor_new(run->bench), measurement);
}

/* For each subject the index of its baseline among them, its own where that does not run. */
static guint *
find_baselines(Run *run, Group *group)
{
  guint *baselines = g_new(guint, group->subjects->len);

  for (guint i = 0; i < group->subjects->len; i++) {
    MsReportRow *baseline = i < group->rows->len ? ms_report_find_baseline(run->report, group->rows->pdata[i]) : NULL;
    if (!baseline || !g_ptr_array_find(group->rows, baseline, &baselines[i]))
      baselines[i] = i;
  }
  return baselines;
}

static gboolean
measure_subjects(Run *run, Group *group, GError **error)
{
  g_autofree guint *baselines = find_baselines(run, group);
  GPtrArray *whole = run->group_rows;

  run->measure.baselines = baselines;
  run->measure.anchored = TRUE;
  run->group_rows = group->rows;
  gboolean good = ms_measure((MsSubject **)group->subjects->pdata, (MsMeasurement **)group->measurements->pdata,
                             group->subjects->len, &run->measure, measure_progress, run, run->cancellable, error);
  run->group_rows = whole;
  return good;
}

/* Measures the rows of one group interleaved, so that a change of the clock rate affects all of them alike. */
static gboolean
measure_group(Run *run, GError **error)
{
  Group group;

  group_init(&group);
  gboolean good = add_pending_rows(run, &group, error);
  if (good && group.rows->len > 0) {
    add_anchor(run, &group);
    good = measure_subjects(run, &group, error);
  }
  group_clear(&group);
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
 * Returns whether an earlier run finished this experiment: its report then replaces the new one. The finished rows of
 * an interrupted run are taken over.
 */
static gboolean
resume(Run *run)
{
  g_autoptr(MsReport) earlier = ms_resume_find(run->report, run->request->report_dir);

  if (!earlier)
    return FALSE;
  if (run->request->resume && ms_resume_is_finished(earlier, run->report)) {
    ms_report_unref(run->report);
    run->report = g_steal_pointer(&earlier);
    return TRUE;
  }
  if (!earlier->complete)
    ms_resume_take_rows(run->report, earlier);
  return FALSE;
}

static gboolean
wants_energy(const MsExperiment *experiment, const MsLabRequest *request)
{
  return !request->quick || g_str_has_prefix(experiment->plot.y, "energy") ||
         g_str_has_prefix(experiment->plot.y, "power");
}

static MsEnergy *
open_energy(const MsLabRequest *request)
{
  MsDevice *device = ms_context_get_device(request->context);
  gboolean gpu = ms_device_get_limits(device)->type == MS_DEVICE_TYPE_GPU;
  MsPciAddress address;
  gboolean known = ms_pci_address_of_device(device, &address);

  return ms_energy_open(gpu ? MS_ENERGY_GPU : MS_ENERGY_CPU, ms_device_get_name(device), known ? &address : NULL);
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
  if (resume(run)) {
    report_progress(run, NULL, 1, run->experiment->title);
    return TRUE;
  }
  report_progress(run, NULL, 0, run->experiment->title);
  if (!find_peak(run, error))
    return FALSE;
  if (!measure_groups(run, error)) {
    save(run, &ignored); /* a later run resumes from the finished groups */
    return FALSE;
  }
  run->report->complete = TRUE;
  report_progress(run, NULL, 1, run->experiment->title);
  return save(run, error);
}

/**
 * ms_lab_run_experiment:
 * @experiment: what to run
 * @request: on what and how
 *
 * Every configuration of the experiment becomes a row of the report: measured and verified, or listed with why it was
 * not. When @request has a folder for reports, they are written after every group of configurations, and an interrupted
 * report found there is resumed. A finished one is measured again, or returned unchanged if @resume is set.
 *
 * Returns: (transfer full): the report; %NULL when cancelled, when a setting means nothing, or when a file cannot be
 *   written
 */
MsReport *
ms_lab_run_experiment(MsExperiment *experiment, const MsLabRequest *request, GCancellable *cancellable, GError **error)
{
  g_autoptr(MsLabBench) bench = ms_lab_bench_new(request->context, request->contexts, request->image);
  g_autoptr(MsEnergy) energy = wants_energy(experiment, request) ? open_energy(request) : NULL;
  Run run = {.experiment = experiment,
             .request = request,
             .report = start_report(request, experiment),
             .bench = bench,
             .measure = request->measure,
             .cancellable = cancellable};

  run.measure.energy = energy;
  if (run_experiment(&run, error))
    return run.report;
  ms_report_rank(run.report);
  if (request->unfinished)
    g_ptr_array_add(request->unfinished, run.report);
  else
    ms_report_unref(run.report);
  return NULL;
}
