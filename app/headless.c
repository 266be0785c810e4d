/* SPDX-License-Identifier: MIT */
#include "app/headless.h"

#include <fcntl.h>
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
#include "app/process/guard.h"
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

static gboolean
needs_worker(const MsCommandLine *line)
{
  return ms_command_line_action(line) == MS_COMMAND_IMAGES && !ms_worker_is_one() && !line->jobs_in_process &&
         !line->dry_run;
}

/*
 * The limits of a command that opens devices in this process, whose driver may end it or hang; no grace for others.
 * Experiments and searches that are cancelled finish the compilation or the serial reference that they are at.
 */
static MsGuardLimits
guard_limits(const MsCommandLine *line)
{
  const MsGuardLimits none = {0, 0};

  switch (ms_command_line_action(line)) {
  case MS_COMMAND_REDUCE:
  case MS_COMMAND_REGIONS:
  case MS_COMMAND_LIST_DEVICES:
  case MS_COMMAND_DIAGNOSE:
    return (MsGuardLimits){line->timeout, MS_GUARD_GRACE_S};
  case MS_COMMAND_TUNE:
  case MS_COMMAND_EXPERIMENT:
    return (MsGuardLimits){line->timeout, 3 * MS_GUARD_GRACE_S};
  case MS_COMMAND_IMAGES:
    /* A batch applies --timeout to each report of its device. */
    if (ms_worker_is_one() || !(line->jobs_in_process || ms_batch_command_names_device(line)))
      return none;
    return (MsGuardLimits){0, MS_GUARD_GRACE_S};
  case MS_COMMAND_LIST_EXPERIMENTS:
  case MS_COMMAND_MERGE:
  case MS_COMMAND_WINDOW:
    return none;
  }
  g_return_val_if_reached(none);
}

static MsExitStatus
run_action(const MsCommandLine *line, MsConsole *console, MsWorkerProcess *waiting, const MsWorkerPipes *pipes,
           GCancellable *cancellable)
{
  g_autoptr(GError) error = NULL;

  if (ms_worker_is_one())
    end_worker(ms_batch_command_work(line, console, pipes, cancellable));
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
  return ms_batch_command_run(line, console, waiting, cancellable);
}

static MsExitStatus
run(const MsCommandLine *line, MsWorkerProcess *waiting, const MsWorkerPipes *pipes, gboolean is_watched)
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
    ms_signals_cancel_on_interrupt(cancellable, is_watched);
    status = run_action(line, console, waiting, pipes, cancellable);
  }
  if (fflush(stdout) == 0 && !ferror(stdout))
    return status;
  ms_console_error(console, "Standard output could not be written to; the results there are not complete.");
  return status == MS_EXIT_DONE ? MS_EXIT_SOME_FAILED : status;
}

/* A closed stream gets a file that fails as it did, so that no pipe to a worker takes its number. */
static void
fill_closed_streams(void)
{
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
    if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
      return;
}

static void
work(const MsWorkerPipes *pipes, gpointer line)
{
  run(line, NULL, pipes, TRUE);
}

static MsExitStatus
run_with_worker(gboolean is_child, gpointer line)
{
  MsWorkerProcess waiting = {0};

  if (needs_worker(line))
    ms_worker_process_fork(&waiting, work, line);
  MsExitStatus status = run(line, &waiting, NULL, is_child || ms_worker_is_one());
  ms_worker_process_drop(&waiting);
  return status;
}

/**
 * ms_headless_run: runs the action of a command line that ms_command_line_check() accepts.
 *
 * Must be called before this process has created a thread, since the first worker is a copy of it.
 */
MsExitStatus
ms_headless_run(const MsCommandLine *line)
{
  const MsGuardLimits limits = guard_limits(line);

  fill_closed_streams();
  if (limits.grace_s == 0)
    return run_with_worker(FALSE, (gpointer)line);
  return ms_guard_run(run_with_worker, (gpointer)line, &limits);
}
