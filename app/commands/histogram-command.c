/* SPDX-License-Identifier: MIT */
#include "app/commands/histogram-command.h"

#include "app/commands/command.h"
#include "app/report/progress-json.h"
#include "core/lab/array-run.h"

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

/** ms_histogram_command_run: exit status 3 when the device's counts differ from the serial ones. */
MsExitStatus
ms_histogram_command_run(const MsCommandLine *line, MsConsole *console, GCancellable *cancellable)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(MsContext) context = NULL;
  g_autoptr(MsArrayRun) run = NULL;
  MsHistogramRunRequest request;

  if (!read_request(line, &request, &error))
    return ms_command_fail(console, error);
  context = ms_command_open_context(line, console, &error);
  ms_progress_fraction(console, 0, line->reduce);
  run = context ? ms_histogram_run(context, &request, cancellable, &error) : NULL;
  if (!run)
    return ms_command_fail(console, error);
  g_autofree char *text = ms_array_run_to_text(run);
  g_autoptr(JsonBuilder) builder = json_builder_new();
  ms_array_run_add_json(run, builder);
  if (!ms_command_report(line, console, &(MsCommandResult){text, builder}, cancellable, &error))
    return ms_command_fail(console, error);
  return run->agrees ? MS_EXIT_DONE : MS_EXIT_DIFFERENT;
}
