/* SPDX-License-Identifier: MIT */
#include "core/lab/lab-private.h"

#include <string.h>

#include "core/error.h"
#include "core/lab/report/report-save.h"
#include "core/lab/report/resume.h"
#include "core/reduce/bandwidth.h"

/** ms_lab_request_init: writes no reports, filters generated scenes, measures with the default options. */
void
ms_lab_request_init(MsLabRequest *request, MsContext *context, gboolean quick)
{
  *request = (MsLabRequest){.context = context, .quick = quick};
  ms_measure_options_init(&request->measure, quick);
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
find_peak(MsLabRun *run, GError **error)
{
  static const char key[] = "the peak bandwidth";
  MsLabJournal *journal = run->request->journal;
  g_autoptr(MsMeasurement) earlier = ms_measurement_new();
  g_autoptr(GError) local = NULL;
  MsBandwidth bandwidth;

  ms_lab_journal_restore(journal, key, earlier);
  if (earlier->outcome != MS_OUTCOME_PENDING) /* an earlier process died here */
    return TRUE;
  ms_lab_journal_begin(journal, key, run->measure.step_s);
  const gboolean good = ms_bandwidth_get(run->request->context, NULL, &bandwidth, run->cancellable, &local);
  ms_lab_journal_end(journal);
  if (!good)
    return !g_cancellable_set_error_if_cancelled(run->cancellable, error);
  run->report->device.peak_read_gb_per_s = bandwidth.read;
  run->report->device.peak_copy_gb_per_s = bandwidth.copy;
  return TRUE;
}

/* With the caller's image the size axis has one value, the size of that image. */
static GPtrArray *
expand_settings(MsLabRun *run)
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
make_rows(MsLabRun *run, GError **error)
{
  g_autoptr(GPtrArray) all = expand_settings(run);

  for (guint i = 0; i < all->len; i++) {
    const MsFactors *factors = all->pdata[i];
    const MsLabKind *kind = ms_lab_kind_of(run->experiment, factors, error);
    if (!kind || !ms_lab_check_keys(kind, factors, error))
      return FALSE;
    g_autofree char *label = ms_experiment_label(run->experiment, factors);
    g_autofree char *group = kind->group(factors);
    ms_report_add_row(run->report, factors, label, group);
  }
  if (all->len > 0)
    return TRUE;
  ms_set_error(error, MS_ERROR_USAGE, "The experiment “%s” has no configuration to run.", run->experiment->name);
  return FALSE;
}

static gboolean
save(MsLabRun *run, GError **error)
{
  ms_report_rank(run->report);
  return !run->request->report_dir || ms_report_save(run->report, run->request->report_dir, error);
}

static gboolean
measure_groups(MsLabRun *run, GError **error)
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
    if (!ms_lab_measure_group(run, error) || !save(run, error))
      return FALSE;
  }
  return TRUE;
}

/*
 * Returns whether an earlier run finished this experiment: its report then replaces the new one. The finished rows of
 * an interrupted run are taken over.
 */
static gboolean
resume(MsLabRun *run)
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
  report->restarts = ms_lab_journal_count_deaths(request->journal);
  report->program_version = g_strdup(MS_VERSION);
  describe_device(&report->device, request->context);
  return report;
}

static gboolean
run_experiment(MsLabRun *run, GError **error)
{
  g_autoptr(GError) ignored = NULL;

  if (!make_rows(run, error))
    return FALSE;
  if (resume(run)) {
    ms_lab_report_progress(run, NULL, 1, run->experiment->title);
    return TRUE;
  }
  ms_lab_report_progress(run, NULL, 0, run->experiment->title);
  if (!find_peak(run, error))
    return FALSE;
  if (!measure_groups(run, error)) {
    save(run, &ignored); /* a later run resumes from the finished groups */
    return FALSE;
  }
  run->report->complete = TRUE;
  ms_lab_report_progress(run, NULL, 1, run->experiment->title);
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
 * Returns: (transfer full): the report; %NULL when cancelled, when a key is unknown, or when a file cannot be written
 */
MsReport *
ms_lab_run_experiment(MsExperiment *experiment, const MsLabRequest *request, GCancellable *cancellable, GError **error)
{
  g_autoptr(MsLabBench) bench = ms_lab_bench_new(request->context, request->contexts, request->image);
  g_autoptr(MsEnergy) energy = wants_energy(experiment, request) ? open_energy(request) : NULL;
  MsLabRun run = {.experiment = experiment,
                  .request = request,
                  .report = start_report(request, experiment),
                  .bench = bench,
                  .measure = request->measure,
                  .cancellable = cancellable};

  run.measure.energy = energy;
  run.measure.journal = request->journal;
  if (run_experiment(&run, error))
    return run.report;
  ms_report_rank(run.report);
  if (request->unfinished)
    g_ptr_array_add(request->unfinished, run.report);
  else
    ms_report_unref(run.report);
  return NULL;
}
