/* SPDX-License-Identifier: MIT */
#include "app/commands/command.h"

#include <glib/gi18n-lib.h>

#include "app/report/progress-json.h"
#include "app/report/report-file.h"
#include "core/image/file/file-path.h"
#include "core/json.h"

static const MsCommand commands[] = {
  {MS_COMMAND_WINDOW, N_("the window")},
  {MS_COMMAND_IMAGES, N_("images"), .has_events = TRUE},
  {MS_COMMAND_LIST_DEVICES, "--list-devices", .uses_driver = TRUE, .reads_nothing = TRUE,
   .run = ms_list_devices_command_run},
  {MS_COMMAND_REDUCE, "--reduce", .uses_driver = TRUE, .has_events = TRUE, .reads_nothing = TRUE,
   .run = ms_reduce_command_run},
  {MS_COMMAND_TUNE, "--tune", TRUE, TRUE, TRUE, .run = ms_lab_command_run},
  {MS_COMMAND_EXPERIMENT, "--experiment", TRUE, TRUE, TRUE, .run = ms_lab_command_run},
  {MS_COMMAND_LIST_EXPERIMENTS, "--experiment list", .reads_nothing = TRUE, .run = ms_lab_command_run},
  {MS_COMMAND_DIAGNOSE, "--diagnose", .uses_driver = TRUE, .reads_nothing = TRUE, .run = ms_diagnose_command_run},
  {MS_COMMAND_MERGE, "--merge-manifests", .run = ms_merge_command_run},
  {MS_COMMAND_REGIONS, "--regions", .uses_driver = TRUE, .has_events = TRUE, .run = ms_regions_command_run},
  {MS_COMMAND_MERGE_REPORTS, "--merge-reports", .run = ms_reports_command_run},
};

/** ms_commands: (array length=n): the table. */
const MsCommand *
ms_commands(guint *n)
{
  *n = G_N_ELEMENTS(commands);
  return commands;
}

/** ms_command_find: the row of the action that the command line selects. */
const MsCommand *
ms_command_find(const MsCommandLine *line)
{
  return &commands[g_bit_nth_lsf(ms_command_line_action(line), -1)];
}

/** ms_command_fail: prints the error, unless it is an interruption, and returns its exit status. */
MsExitStatus
ms_command_fail(MsConsole *console, const GError *error)
{
  if (!g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    ms_progress_error(console, error);
  if (g_error_matches(error, MS_ERROR, MS_ERROR_BUILD))
    ms_console_error_log(console, error->message);
  else if (!g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    ms_console_error(console, error->message);
  return ms_exit_status_for_error(error);
}

/** ms_command_report: prints the text, unless --json takes standard output, and saves the JSON if --json is given. */
gboolean
ms_command_report(const MsCommandLine *line, MsConsole *console, const char *text, JsonBuilder *builder,
                  GCancellable *cancellable, GError **error)
{
  g_autoptr(JsonNode) root = json_builder_get_root(builder);
  g_autofree char *json = NULL;

  ms_console_begin_results(console);
  if (!ms_file_path_is_standard(line->json))
    ms_console_print(console, text);
  ms_progress_result(console, root);
  if (!line->json)
    return TRUE;
  json = ms_json_builder_to_text(builder);
  return ms_report_file_save(line->json, json, cancellable, error);
}
