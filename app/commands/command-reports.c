/* SPDX-License-Identifier: MIT */
/* --merge-reports: reports of several devices as one. */
#include "app/commands/command.h"

#include "app/report/report-file.h"
#include "core/error.h"
#include "core/image/file/file-path.h"
#include "core/json.h"
#include "core/lab/report/environment.h"
#include "core/lab/report/report.h"
#include "core/text.h"

/* A report folder also has environment.json, which a pattern for all .json files in it names too. */
static gboolean
is_beside_reports(const char *path)
{
  g_autofree char *name = g_path_get_basename(path);

  return g_str_equal(name, MS_ENVIRONMENT_FILE);
}

static GPtrArray *
load_all(const char *const *paths, GError **error)
{
  g_autoptr(GPtrArray) all = g_ptr_array_new_with_free_func((GDestroyNotify)ms_report_unref);

  for (const char *const *path = paths; *path; path++) {
    if (is_beside_reports(*path))
      continue;
    GPtrArray *reports = ms_reports_load_named(*path, error);
    if (!reports)
      return NULL;
    g_ptr_array_extend_and_steal(all, reports);
  }
  return all->len > 0 ? g_steal_pointer(&all) : ms_reports_load_named(paths[0], error);
}

/* Writes all reports as --json of --experiment does, so that they can be merged and compared again. */
static gboolean
save_reports(const char *path, GPtrArray *reports, GCancellable *cancellable, GError **error)
{
  g_autoptr(GPtrArray) nodes = g_ptr_array_new();

  for (guint i = 0; i < reports->len; i++)
    g_ptr_array_add(nodes, ms_report_to_json_node(reports->pdata[i]));
  return ms_report_file_save_nodes(path, "experiments", nodes, cancellable, error);
}

/** ms_reports_command_run: --merge-reports: the reports of several devices as one. */
MsExitStatus
ms_reports_command_run(const MsCommandLine *line, MsConsole *console, GCancellable *cancellable)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(GPtrArray) reports = load_all(line->batch.inputs, &error);

  if (!reports)
    return ms_command_fail(console, error);
  g_autofree char *text = ms_reports_merge_to_text(reports);
  ms_console_begin_results(console);
  ms_console_print(console, text);
  const MsAtomicPlace place = {.folder = line->report_dir};
  if ((line->report_dir && !ms_reports_merge_save(reports, &place, &error)) ||
      !save_reports(line->json, reports, cancellable, &error))
    return ms_command_fail(console, error);
  return MS_EXIT_DONE;
}
