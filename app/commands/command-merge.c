/* SPDX-License-Identifier: MIT */
/* --merge-manifests: what the parts of a batch have done; and --merge-reports: reports of several devices as one. */
#include "app/commands/command.h"

#include <string.h>

#include "app/report/report-file.h"
#include "core/batch/merge.h"
#include "core/error.h"
#include "core/image/file/file-path.h"
#include "core/json.h"
#include "core/lab/report/environment.h"
#include "core/lab/report/report.h"
#include "core/text.h"

/* --merge-manifests */

static void
add_path(JsonBuilder *b, const char *path)
{
  g_autofree char *text = ms_path_to_text(path);

  ms_json_add_text(b, "input", text);
}

static void
add_failed(JsonBuilder *b, const MsMerge *merge)
{
  ms_json_begin_array(b, "failed");
  for (guint i = 0; i < merge->failed->len; i++) {
    const MsInput *input = g_ptr_array_index(merge->failed, i);
    json_builder_begin_object(b);
    add_path(b, input->path);
    ms_json_add_text(b, "error", ms_manifest_find(merge->manifest, input->path)->error);
    json_builder_end_object(b);
  }
  json_builder_end_array(b);
}

static void
add_missing(JsonBuilder *b, const MsMerge *merge)
{
  ms_json_begin_array(b, "missing");
  for (guint i = 0; i < merge->missing->len; i++) {
    const MsInput *input = g_ptr_array_index(merge->missing, i);
    g_autofree char *english = input->problem ? ms_error_dup_english(input->problem) : NULL;
    json_builder_begin_object(b);
    add_path(b, input->path);
    ms_json_add_text(b, "error", english);
    json_builder_end_object(b);
  }
  json_builder_end_array(b);
}

/* (transfer full): { "manifests", "images", "done", "repeated", "failed": [ … ], "missing": [ … ] } */
static char *
merge_json(const MsMerge *merge)
{
  g_autoptr(JsonBuilder) b = json_builder_new();

  json_builder_begin_object(b);
  ms_json_add_text(b, "program", "meanshift-lab");
  ms_json_add_text(b, "version", MS_VERSION);
  ms_json_add_integer(b, "manifests", merge->n_files);
  ms_json_add_integer(b, "images", merge->inputs->len);
  ms_json_add_integer(b, "done", merge->done->len);
  ms_json_add_integer(b, "repeated", merge->n_repeated);
  add_failed(b, merge);
  add_missing(b, merge);
  json_builder_end_object(b);
  return ms_json_builder_to_text(b);
}

static void
print_names(const MsCommandLine *line, MsConsole *console, GPtrArray *inputs)
{
  for (guint i = 0; i < inputs->len; i++) {
    const MsInput *input = g_ptr_array_index(inputs, i);
    g_autofree char *shown = ms_printable(input->path, "");
    g_autofree char *text = g_strconcat(shown, "\n", NULL);
    if (line->null)
      ms_console_write(console, input->path, strlen(input->path) + 1);
    else
      ms_console_print(console, text);
  }
}

static void
print_errors(const MsMerge *merge, MsConsole *console)
{
  for (guint i = 0; i < merge->failed->len; i++) {
    const MsInput *input = g_ptr_array_index(merge->failed, i);
    const char *sentence = ms_manifest_find(merge->manifest, input->path)->error;
    if (sentence)
      ms_console_error(console, sentence);
  }
  for (guint i = 0; i < merge->missing->len; i++) {
    const MsInput *input = g_ptr_array_index(merge->missing, i);
    if (input->problem)
      ms_console_error(console, input->problem->message);
  }
}

static void
print_summary(const MsMerge *merge, MsConsole *console)
{
  g_autofree char *ignored = ms_manifest_describe_ignored(merge->manifest);
  g_autofree char *sentence = g_strdup_printf(
    "Manifests: %u; images: %u; done: %u; failed: %u; not done: %u; done more than once: %u.", merge->n_files,
    merge->inputs->len, merge->done->len, merge->failed->len, merge->missing->len, merge->n_repeated);

  if (ignored)
    ms_console_error(console, ignored);
  ms_console_note(console, sentence);
}

/**
 * ms_merge_command_run: exit status 1 when images failed or are missing; their names are printed on standard output.
 */
MsExitStatus
ms_merge_command_run(const MsCommandLine *line, MsConsole *console, GCancellable *cancellable)
{
  g_autoptr(GError) error = NULL;
  GPtrArray *inputs = ms_inputs_expand((const char *const *)line->inputs, line->recursive, line->hidden, NULL);
  g_autoptr(MsMerge) merge = ms_merge_new(line->merge_manifests, inputs, &error);

  if (!merge || (line->manifest && !ms_merge_save(merge, line->manifest, &error)))
    return ms_command_fail(console, error);
  g_autofree char *json = line->json ? merge_json(merge) : NULL;
  if (json && !ms_report_file_save(line->json, json, NULL, &error))
    return ms_command_fail(console, error);
  print_errors(merge, console);
  if (!ms_file_path_is_standard(line->json)) {
    print_names(line, console, merge->failed);
    print_names(line, console, merge->missing);
  }
  print_summary(merge, console);
  return merge->failed->len + merge->missing->len > 0 ? MS_EXIT_SOME_FAILED : MS_EXIT_DONE;
}

/* --merge-reports */

/* A report folder also has environment.json, which a pattern for all .json files in it names too. */
static gboolean
is_beside_reports(const char *path)
{
  g_autofree char *name = g_path_get_basename(path);

  return g_str_equal(name, MS_ENVIRONMENT_FILE);
}

static GPtrArray *
load_all(char **paths, GError **error)
{
  g_autoptr(GPtrArray) all = g_ptr_array_new_with_free_func((GDestroyNotify)ms_report_unref);

  for (char **path = paths; *path; path++) {
    if (is_beside_reports(*path))
      continue;
    GPtrArray *reports = ms_reports_load_named(*path, error);
    if (!reports)
      return NULL;
    g_ptr_array_extend_and_steal(all, reports);
  }
  return all->len > 0 ? g_steal_pointer(&all) : ms_reports_load_named(paths[0], error);
}

/* (transfer full): all reports as --json of --experiment writes them, so that they can be merged and compared again. */
static char *
reports_json(GPtrArray *reports)
{
  g_autoptr(GPtrArray) nodes = g_ptr_array_new();

  for (guint i = 0; i < reports->len; i++)
    g_ptr_array_add(nodes, ms_report_to_json_node(reports->pdata[i]));
  return ms_report_file_text("experiments", nodes);
}

/** ms_reports_command_run: --merge-reports: the reports of several devices as one. */
MsExitStatus
ms_reports_command_run(const MsCommandLine *line, MsConsole *console, GCancellable *cancellable)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(GPtrArray) reports = load_all(line->inputs, &error);

  if (!reports)
    return ms_command_fail(console, error);
  g_autofree char *text = ms_reports_merge_to_text(reports, FALSE);
  g_autofree char *json = line->json ? reports_json(reports) : NULL;
  ms_console_begin_results(console);
  ms_console_print(console, text);
  const MsAtomicPlace place = {.folder = line->report_dir};
  if ((line->report_dir && !ms_reports_merge_save(reports, &place, &error)) ||
      (json && !ms_report_file_save(line->json, json, cancellable, &error)))
    return ms_command_fail(console, error);
  return MS_EXIT_DONE;
}
