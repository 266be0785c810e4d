/* SPDX-License-Identifier: MIT */
#include "app/commands/histogram-command.h"

#include "app/commands/command.h"
#include "app/report/report-file.h"
#include "core/image/file/file-path.h"
#include "core/reduce/runs/histogram-run.h"

#define USUAL_BINS 256

static gboolean
read_request(const MsCommandLine *line, MsHistogramRunRequest *request, GError **error)
{
  MsArrayHistogramSpec *spec = &request->spec;

  *request = (MsHistogramRunRequest){.n = line->size, .repeat = (guint)line->repeat, .seed = 1};
  spec->bins = line->bins > 0 ? (guint)line->bins : USUAL_BINS;
  if (ms_command_line_has(line, "variant")) {
    ms_set_error(error, MS_ERROR_USAGE, "--variant does not apply to --reduce histogram.");
    return FALSE;
  }
  return ms_element_type_parse(line->type, &spec->type, error) &&
         ms_histogram_range_parse(line->range, spec->type, &spec->low, &spec->high, error);
}

static char *
run_json(const MsHistogramRun *run)
{
  g_autoptr(JsonBuilder) builder = json_builder_new();
  g_autoptr(JsonNode) root = NULL;

  ms_histogram_run_add_json(run, builder);
  root = json_builder_get_root(builder);
  g_autofree char *json = json_to_string(root, TRUE);
  return g_strconcat(json, "\n", NULL);
}

/** ms_histogram_command_run: exit status 3 when the device's counts differ from the serial ones. */
MsExitStatus
ms_histogram_command_run(const MsCommandLine *line, MsConsole *console, GCancellable *cancellable)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(MsContext) context = NULL;
  g_autoptr(MsHistogramRun) run = NULL;
  MsHistogramRunRequest request;

  if (!read_request(line, &request, &error))
    return ms_command_fail(console, error);
  context = ms_command_open_context(line, console, &error);
  run = context ? ms_histogram_run(context, &request, cancellable, &error) : NULL;
  if (!run)
    return ms_command_fail(console, error);
  g_autofree char *text = ms_histogram_run_to_text(run);
  g_autofree char *json = line->json ? run_json(run) : NULL;
  if (!ms_file_path_is_standard(line->json))
    ms_console_print(console, text);
  if (json && !ms_report_file_save(line->json, json, cancellable, &error))
    return ms_command_fail(console, error);
  return run->agrees ? MS_EXIT_DONE : MS_EXIT_DIFFERENT;
}
