/* SPDX-License-Identifier: MIT */
/* --reduce: one reduction over a generated array, checked and timed. */
#include "app/commands/command.h"

#include "app/report/progress-json.h"
#include "core/lab/array-run.h"
#include "core/reduce/reduce-options.h"

static gboolean
read_reduction(const MsCommandLine *line, MsReduceRunRequest *request, GError **error)
{
  *request = (MsReduceRunRequest){.spec = MS_REDUCE_SPEC(MS_REDUCE_SUM, MS_ELEMENT_INT),
                                  .options = ms_reduce_options_auto(),
                                  .n = line->size,
                                  .repeat = (guint)line->batch.repeat};
  return ms_reduce_op_parse(line->reduce, &request->spec.op, error) &&
         ms_element_type_parse(line->type, &request->spec.type, error) &&
         ms_reduce_variant_parse(line->variant, &request->options, error) &&
         ms_reduce_variant_check_used(line->variant, &request->spec, error);
}

/** ms_reduce_command_run: exit status 3 when the device's result differs from the serial one. */
MsExitStatus
ms_reduce_command_run(const MsCommandLine *line, MsConsole *console, GCancellable *cancellable)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(MsContext) context = NULL;
  g_autoptr(MsArrayRun) run = NULL;
  MsReduceRunRequest reduction;

  if (read_reduction(line, &reduction, &error))
    context = ms_command_open_context(line, console, &error);
  if (!context)
    return ms_command_fail(console, error);
  ms_progress_fraction(console, 0, line->reduce);
  run = ms_reduce_run(context, &reduction, cancellable, &error);
  if (!run)
    return ms_command_fail(console, error);
  g_autofree char *text = ms_array_run_to_text(run);
  g_autoptr(JsonBuilder) builder = json_builder_new();
  ms_array_run_add_json(run, builder);
  if (!ms_command_report(line, console, text, builder, cancellable, &error))
    return ms_command_fail(console, error);
  return run->agrees ? MS_EXIT_DONE : MS_EXIT_DIFFERENT;
}
