/* SPDX-License-Identifier: MIT */
#include "core/lab/lab-campaign.h"

#include <string.h>

#include "core/error.h"
#include "core/lab/experiment/experiment-file.h"
#include "core/lab/experiment/experiment-json.h"
#include "core/lab/report/report-json-read.h"
#include "core/lab/report/report-save.h"

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
    g_string_append_printf(text, "%-24s %s%s%s%s%s%s\n%-24s %s\n", e->name,
                           ms_experiment_text(e->title, MS_LANGUAGE_USER), known ? " [" : "", known ? e->study : "",
                           known ? " " : "", known && e->section ? e->section : "", known ? "]" : "", "", axes);
  }
  return g_string_free(g_steal_pointer(&text), FALSE);
}

static JsonNode *
experiment_to_node(const MsExperiment *experiment)
{
  g_autoptr(JsonBuilder) builder = json_builder_new();

  ms_json_add_experiment(builder, experiment);
  return json_builder_get_root(builder);
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
    g_ptr_array_add(nodes, experiment_to_node(all->pdata[i]));
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
  g_ptr_array_add(paths, g_build_filename(directory, MS_REPORT_INDEX, NULL));
  return g_steal_pointer(&paths);
}

/* Puts the reports of the finished experiments in front of the report of the one that failed. */
static void
keep_finished(const MsLabRequest *request, GPtrArray *reports)
{
  for (guint i = 0; request->unfinished && i < reports->len; i++)
    g_ptr_array_insert(request->unfinished, (gint)i, ms_report_ref(reports->pdata[i]));
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
  g_autoptr(GPtrArray) reports = g_ptr_array_new_with_free_func((GDestroyNotify)ms_report_unref);

  if (!experiments)
    return NULL;
  for (guint i = 0; i < experiments->len; i++) {
    MsReport *report = ms_lab_run_experiment(experiments->pdata[i], request, cancellable, error);
    if (!report) {
      keep_finished(request, reports);
      return NULL;
    }
    g_ptr_array_add(reports, report);
  }
  if (request->report_dir && !ms_report_save_index(reports, request->report_dir, error))
    return NULL;
  return g_steal_pointer(&reports);
}

static MsReport *
find_report(GPtrArray *reports, const char *experiment)
{
  for (guint i = 0; i < reports->len; i++)
    if (strcmp(((MsReport *)reports->pdata[i])->experiment->name, experiment) == 0)
      return reports->pdata[i];
  return NULL;
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
  g_autoptr(GPtrArray) reports = ms_reports_load(path, error);
  g_autoptr(GPtrArray) experiments = reports ? load_experiments(names, error) : NULL;

  if (!reports || !experiments)
    return NULL;
  for (guint i = 0; i < experiments->len; i++)
    if (find_report(reports, ((MsExperiment *)experiments->pdata[i])->name))
      return g_steal_pointer(&reports);
  ms_set_error(error, MS_ERROR_USAGE, "%s reports on the experiment “%s”, which is not among those to run.", path,
               ((MsReport *)reports->pdata[0])->experiment->name);
  return NULL;
}

/**
 * ms_lab_compare:
 * @baseline: (element-type MsReport): the earlier reports
 * @reports: (element-type MsReport): the new reports
 * @noise: relative difference that counts as equal
 *
 * Returns: (transfer full) (element-type MsComparison): one for each report whose experiment is in the baseline
 */
GPtrArray *
ms_lab_compare(GPtrArray *baseline, GPtrArray *reports, double noise)
{
  GPtrArray *all = g_ptr_array_new_with_free_func((GDestroyNotify)ms_comparison_free);

  for (guint i = 0; i < reports->len; i++) {
    MsReport *report = reports->pdata[i];
    MsReport *earlier = find_report(baseline, report->experiment->name);
    if (earlier)
      g_ptr_array_add(all, ms_compare_reports(earlier, report, noise));
  }
  return all;
}

/** ms_lab_comparisons_judged: how many configurations have a time both now and in the baseline. */
guint
ms_lab_comparisons_judged(GPtrArray *comparisons)
{
  guint judged = 0;

  for (guint i = 0; i < comparisons->len; i++) {
    const MsComparison *one = comparisons->pdata[i];
    judged += one->rows->len - one->missing;
  }
  return judged;
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
