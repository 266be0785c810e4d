/* SPDX-License-Identifier: MIT */
#include "app/commands/reduce-command.h"

#include "app/commands/command.h"
#include "app/commands/histogram-command.h"
#include "app/report/progress-json.h"
#include "core/engine/tuned.h"
#include "core/lab/array-run.h"
#include "core/reduce/reduce-options.h"

static gboolean
read_request(const MsCommandLine *line, MsReduceRunRequest *request, GError **error)
{
  if (line->bins > 0 || line->range) {
    ms_set_error(error, MS_ERROR_USAGE, "--bins and --range apply to --reduce histogram only, not to %s.",
                 line->reduce);
    return FALSE;
  }
  *request = (MsReduceRunRequest){.spec = MS_REDUCE_SPEC(MS_REDUCE_SUM, MS_ELEMENT_INT),
                                  .options = ms_reduce_options_auto(),
                                  .n = line->size,
                                  .repeat = (guint)line->repeat};
  return ms_reduce_op_parse(line->reduce, &request->spec.op, error) &&
         ms_element_type_parse(line->type, &request->spec.type, error) &&
         ms_reduce_variant_parse(line->variant, &request->options, error) &&
         ms_reduce_variant_check_used(line->variant, &request->spec, error);
}

static gboolean
report(const MsCommandLine *line, const MsArrayRun *run, MsConsole *console, GCancellable *cancellable, GError **error)
{
  g_autofree char *text = ms_array_run_to_text(run);
  g_autoptr(JsonBuilder) builder = json_builder_new();

  ms_array_run_add_json(run, builder);
  return ms_command_report(line, console, &(MsCommandResult){text, builder}, cancellable, error);
}

/** ms_reduce_command_run: exit status 3 when the device's result differs from the serial one. */
MsExitStatus
ms_reduce_command_run(const MsCommandLine *line, MsConsole *console, GCancellable *cancellable)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(MsContext) context = NULL;
  g_autoptr(MsArrayRun) run = NULL;
  MsReduceRunRequest request;

  if (g_ascii_strcasecmp(line->reduce, "histogram") == 0)
    return ms_histogram_command_run(line, console, cancellable);
  if (!read_request(line, &request, &error))
    return ms_command_fail(console, error);
  context = ms_command_open_context(line, console, &error);
  if (!context)
    return ms_command_fail(console, error);
  request.tuned = ms_tuned_reduce_options(&request.spec, &request.options, request.n, ms_context_get_device(context));
  ms_progress_fraction(console, 0, line->reduce);
  run = ms_reduce_run(context, &request, cancellable, &error);
  if (!run || !report(line, run, console, cancellable, &error))
    return ms_command_fail(console, error);
  return run->agrees ? MS_EXIT_DONE : MS_EXIT_DIFFERENT;
}
