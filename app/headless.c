/* SPDX-License-Identifier: MIT */
#include "app/headless.h"

#include <stdio.h>
#include <string.h>

#include "app/device-list.h"
#include "app/output-check.h"
#include "app/signals.h"
#include "core/image/atomic-file.h"
#include "core/opencl/device-chooser.h"

/** ms_headless_fail: tells the error and says which status that is; an interruption needs no words. */
MsExitStatus
ms_headless_fail(MsConsole *console, const GError *error)
{
  if (!g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    ms_console_error(console, error->message);
  return ms_exit_status_for_error(error);
}

/** ms_headless_write: puts @text into a file, whole or not at all, or prints it when @path is "-". */
gboolean
ms_headless_write(const char *path, const char *text, MsConsole *console, GError **error)
{
  if (strcmp(path, MS_INPUT_STDIN) == 0) {
    fputs(text, stdout);
    return TRUE;
  }
  g_autoptr(MsAtomicFile) file = ms_atomic_file_open(path, TRUE, error);
  return file && ms_atomic_file_write(file, text, strlen(text), error) && ms_atomic_file_commit(file, error);
}

/** ms_headless_open_context: (transfer full): the device that --device and --fallback lead to. */
MsContext *
ms_headless_open_context(const MsCommandLine *line, MsConsole *console, GError **error)
{
  const char *device_selector = ms_command_line_device(line);

  if (strcmp(device_selector, MS_ENGINE_REFERENCE) == 0) {
    g_set_error(error, MS_ERROR, MS_ERROR_USAGE,
                "The serial reference has no kernels to measure; choose a device with --device.");
    return NULL;
  }
  g_autoptr(MsEngine) engine =
    ms_engine_open(device_selector, (MsFallback)line->fallback, ms_console_print_note, console, error);
  return engine ? g_object_ref(ms_engine_get_context(engine)) : NULL;
}

static MsExitStatus
list_devices(const MsCommandLine *line, MsConsole *console)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(GPtrArray) devices = ms_device_enumerate(&error);

  if (!devices)
    return ms_headless_fail(console, error);
  g_autofree char *text = line->json ? ms_device_list_to_json(devices) : ms_device_list_to_text(devices);
  if (!ms_headless_write(line->json ? line->json : MS_INPUT_STDIN, text, console, &error))
    return ms_headless_fail(console, error);
  return MS_EXIT_DONE;
}

static MsExitStatus
run_action(const MsCommandLine *line, MsConsole *console, GCancellable *cancellable)
{
  g_autoptr(GError) error = NULL;

  if (!ms_output_check(line, &error))
    return ms_headless_fail(console, error);
  switch (ms_command_line_action(line)) {
  case MS_COMMAND_REDUCE:
    return ms_headless_reduce(line, console, cancellable);
  case MS_COMMAND_TUNE:
  case MS_COMMAND_EXPERIMENT:
  case MS_COMMAND_LIST_EXPERIMENTS:
    return ms_headless_lab(line, console, cancellable);
  case MS_COMMAND_IMAGES:
  case MS_COMMAND_LIST_DEVICES:
  case MS_COMMAND_WINDOW:
    break;
  }
  return ms_headless_batch(line, console, cancellable);
}

/** ms_headless_run: does what a checked command line says. */
MsExitStatus
ms_headless_run(const MsCommandLine *line)
{
  g_autoptr(MsConsole) console = ms_console_new(line);
  g_autoptr(GCancellable) cancellable = g_cancellable_new();
  MsExitStatus status;

  if (line->list_devices) {
    status = list_devices(line, console);
  } else {
    ms_signals_cancel_on_interrupt(cancellable);
    status = run_action(line, console, cancellable);
  }
  if (fflush(stdout) == 0 && !ferror(stdout))
    return status;
  ms_console_error(console, "Standard output could not be written to; the results there are not complete.");
  return status == MS_EXIT_DONE ? MS_EXIT_SOME_FAILED : status;
}
