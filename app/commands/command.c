/* SPDX-License-Identifier: MIT */
#include "app/commands/command.h"

#include <string.h>

#include "app/report/progress-json.h"
#include "app/report/report-file.h"
#include "core/engine/split-engine.h"
#include "core/image/file/file-path.h"
#include "core/json.h"

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

/**
 * ms_command_open_engine:
 * @device_selector: the device where there are no --devices
 *
 * Returns: (transfer full): the engine that --devices or @device_selector and --fallback select
 */
MsEngine *
ms_command_open_engine(const MsCommandLine *line, MsConsole *console, const char *device_selector, GError **error)
{
  if (line->devices)
    return ms_split_engine_open(line->devices, (MsSplitMode)line->split, ms_console_print_note, console, error);
  return ms_engine_open(device_selector, (MsFallback)line->fallback, ms_console_print_note, console, error);
}

/** ms_command_open_context: (transfer full): the device that --device and --fallback select. */
MsContext *
ms_command_open_context(const MsCommandLine *line, MsConsole *console, GError **error)
{
  const char *device_selector = ms_command_line_device(line);

  if (strcmp(device_selector, MS_ENGINE_REFERENCE) == 0) {
    ms_set_error(error, MS_ERROR_USAGE,
                 "The serial reference has no kernels to measure; choose a device with --device.");
    return NULL;
  }
  g_autoptr(MsEngine) engine =
    ms_engine_open(device_selector, (MsFallback)line->fallback, ms_console_print_note, console, error);
  if (!engine)
    return NULL;
  /* The device stays open until this process ends, because a driver may end it when it is closed. */
  g_object_ref(engine);
  return g_object_ref(ms_engine_get_context(engine));
}

/** ms_command_report: prints the text, unless --json takes standard output, and saves the JSON if --json is given. */
gboolean
ms_command_report(const MsCommandLine *line, MsConsole *console, const MsCommandResult *result,
                  GCancellable *cancellable, GError **error)
{
  g_autoptr(JsonNode) root = json_builder_get_root(result->json);
  g_autofree char *json = NULL;

  ms_console_begin_results(console);
  if (!ms_file_path_is_standard(line->json))
    ms_console_print(console, result->text);
  ms_progress_result(console, root);
  if (!line->json)
    return TRUE;
  json = ms_json_builder_to_text(result->json);
  return ms_report_file_save(line->json, json, cancellable, error);
}
