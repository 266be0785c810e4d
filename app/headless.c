/* SPDX-License-Identifier: MIT */
#include "app/headless.h"

#include <stdio.h>
#include <unistd.h>

#include "app/commands/batch-command.h"
#include "app/commands/command.h"
#include "app/report/device-list.h"
#include "app/diagnose/diagnose.h"
#include "app/commands/lab-command.h"
#include "app/commands/merge-command.h"
#include "app/output-check.h"
#include "app/commands/reduce-command.h"
#include "app/commands/regions-command.h"
#include "app/report/report-file.h"
#include "app/process/signals.h"
#include "core/batch/run/worker.h"
#include "core/engine/engine.h"

static MsExitStatus
list_devices(const MsCommandLine *line, MsConsole *console)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(GPtrArray) devices = ms_device_enumerate(&error);

  ms_engine_note_driver(ms_console_print_note, console);
  if (!devices)
    return ms_command_fail(console, error);
  g_autofree char *text = line->json ? ms_device_list_to_json(devices) : ms_device_list_to_text(devices);
  if (!ms_report_file_save(line->json ? line->json : MS_INPUT_STDIN, text, NULL, &error))
    return ms_command_fail(console, error);
  return MS_EXIT_DONE;
}

static MsExitStatus
diagnose(MsConsole *console)
{
  g_autoptr(GError) error = NULL;
  gboolean agrees;
  g_autofree char *text = ms_diagnose_text(&agrees, &error);

  ms_engine_note_driver(ms_console_print_note, console);
  ms_console_print(console, text);
  if (error)
    return ms_command_fail(console, error);
  return agrees ? MS_EXIT_DONE : MS_EXIT_DIFFERENT;
}

/* Ends the process without unloading the driver, which may hang or abort after all results are written. */
static void G_GNUC_NORETURN
end_worker(MsExitStatus status)
{
  fflush(NULL);
  _exit(status);
}

static MsExitStatus
run_action(const MsCommandLine *line, MsConsole *console, GCancellable *cancellable)
{
  g_autoptr(GError) error = NULL;

  if (ms_worker_is_one())
    end_worker(ms_batch_command_work(line, console, cancellable));
  if (!ms_output_check(line, &error))
    return ms_command_fail(console, error);
  switch (ms_command_line_action(line)) {
  case MS_COMMAND_REDUCE:
    return ms_reduce_command_run(line, console, cancellable);
  case MS_COMMAND_REGIONS:
    return ms_regions_command_run(line, console, cancellable);
  case MS_COMMAND_TUNE:
  case MS_COMMAND_EXPERIMENT:
  case MS_COMMAND_LIST_EXPERIMENTS:
    return ms_lab_command_run(line, console, cancellable);
  case MS_COMMAND_MERGE:
    return ms_merge_command_run(line, console);
  case MS_COMMAND_IMAGES:
  case MS_COMMAND_LIST_DEVICES:
  case MS_COMMAND_DIAGNOSE:
  case MS_COMMAND_WINDOW:
    break;
  }
  return ms_batch_command_run(line, console, cancellable);
}

/** ms_headless_run: runs the action of a command line that ms_command_line_check() accepts. */
MsExitStatus
ms_headless_run(const MsCommandLine *line)
{
  g_autoptr(MsConsole) console = ms_console_new(line);
  g_autoptr(GCancellable) cancellable = g_cancellable_new();
  MsExitStatus status;

  ms_signals_fail_writes();
  if (line->list_devices) {
    status = list_devices(line, console);
  } else if (line->diagnose) {
    status = diagnose(console);
  } else {
    ms_signals_cancel_on_interrupt(cancellable);
    status = run_action(line, console, cancellable);
  }
  if (fflush(stdout) == 0 && !ferror(stdout))
    return status;
  ms_console_error(console, "Standard output could not be written to; the results there are not complete.");
  return status == MS_EXIT_DONE ? MS_EXIT_SOME_FAILED : status;
}
