/* SPDX-License-Identifier: MIT */
#include "app/headless.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "app/commands/batch-command.h"
#include "app/commands/batch-device.h"
#include "app/commands/command.h"
#include "app/report/device-list.h"
#include "app/diagnose/diagnose.h"
#include "app/commands/lab-command.h"
#include "app/commands/merge-command.h"
#include "app/output-check.h"
#include "app/commands/reduce-command.h"
#include "app/commands/regions-command.h"
#include "app/report/progress-json.h"
#include "app/report/report-file.h"
#include "app/process/guard.h"
#include "app/process/signals.h"
#include "core/batch/run/supervisor.h"
#include "core/batch/run/worker.h"
#include "core/engine/engine.h"
#include "core/image/file/file-path.h"
#include "core/image/image-drain.h"

/* Seconds in which cancelled work ends unless a driver hangs. */
#define GRACE_S 10

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

/* What one process of a headless run has: the channel of a child, or the worker and the device's name of a batch. */
typedef struct {
  const MsCommandLine *line;
  MsChannel *channel;
  MsChild *worker;
  char *device;
} Process;

/* Whether a child does the whole work, since its driver may end it or hang. */
static gboolean
runs_in_child(const MsCommandLine *line)
{
  switch (ms_command_line_action(line)) {
  case MS_COMMAND_REDUCE:
  case MS_COMMAND_REGIONS:
  case MS_COMMAND_LIST_DEVICES:
  case MS_COMMAND_DIAGNOSE:
  case MS_COMMAND_TUNE:
  case MS_COMMAND_EXPERIMENT:
    return TRUE;
  case MS_COMMAND_IMAGES: /* in workers */
  case MS_COMMAND_LIST_EXPERIMENTS:
  case MS_COMMAND_MERGE:
  case MS_COMMAND_WINDOW:
    return FALSE;
  }
  g_return_val_if_reached(FALSE);
}

static gboolean
names_device(const MsCommandLine *line)
{
  return ms_command_line_action(line) == MS_COMMAND_IMAGES && ms_batch_command_names_device(line);
}

static gboolean
measures(const MsCommandLine *line)
{
  const MsCommandAction action = ms_command_line_action(line);

  return action == MS_COMMAND_TUNE || action == MS_COMMAND_EXPERIMENT;
}

/*
 * Experiments and searches that are cancelled finish the compilation or the serial reference that they are at. What
 * comes through a pipe cannot be read a second time.
 */
static MsGuardLimits
guard_limits(const MsCommandLine *line, MsConsole *console)
{
  const MsCommandAction action = ms_command_line_action(line);
  const char *input = line->inputs[0];
  const gboolean repeats =
    action == MS_COMMAND_IMAGES || !input || (!ms_file_path_is_standard(input) && !ms_image_is_stream(input));

  return (MsGuardLimits){line->timeout, measures(line) ? 3 * GRACE_S : GRACE_S, repeats ? MS_CHILD_MOST_VAIN_STARTS : 1,
                         ms_console_print_note, console};
}

static MsExitStatus
run_action(const Process *process, MsConsole *console, GCancellable *cancellable)
{
  const MsCommandLine *line = process->line;

  switch (ms_command_line_action(line)) {
  case MS_COMMAND_LIST_DEVICES:
    return list_devices(line, console);
  case MS_COMMAND_DIAGNOSE:
    return diagnose(console);
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
  case MS_COMMAND_WINDOW:
    break;
  }
  return ms_batch_command_run(line, console, process->device, process->worker, cancellable);
}

static MsExitStatus
run(const Process *process, MsConsole *console, GCancellable *cancellable)
{
  g_autoptr(GError) error = NULL;

  if (!ms_output_check(process->line, &error)) {
    ms_child_free(process->worker);
    return ms_command_fail(console, error);
  }
  MsExitStatus status = run_action(process, console, cancellable);
  if (fflush(stdout) == 0 && !ferror(stdout))
    return status;
  ms_console_error(console, "Standard output could not be written to; the results there are not complete.");
  return status == MS_EXIT_DONE ? MS_EXIT_SOME_FAILED : status;
}

/* The main functions of children. A second signal does nothing there, because the parent ends the child. */

static GCancellable *
begin_child(void)
{
  GCancellable *cancellable = g_cancellable_new();

  ms_signals_fail_writes();
  ms_signals_cancel_on_interrupt(cancellable, TRUE);
  return cancellable;
}

static void
run_command(MsChannel *channel, gpointer line)
{
  const Process process = {.line = line, .channel = channel};
  g_autoptr(GCancellable) cancellable = begin_child();
  g_autoptr(MsConsole) console = ms_console_new(line);

  ms_console_set_parent(console, channel);
  const MsExitStatus status = run(&process, console, cancellable);
  g_clear_pointer(&console, ms_console_free);
  ms_guard_finish(channel, status, "");
}

static void
name_device(MsChannel *channel, gpointer line)
{
  g_autoptr(GCancellable) cancellable = begin_child();
  g_autoptr(MsConsole) console = ms_console_new(line);
  g_autoptr(GError) error = NULL;
  MsEngine *engine = ms_batch_device_open(line, FALSE, console, &error);

  if (engine)
    ms_guard_finish(channel, MS_EXIT_DONE, ms_engine_describe(engine).name);
  ms_guard_finish(channel, ms_command_fail(console, error), "");
}

static void
work(MsChannel *channel, gpointer line)
{
  g_autoptr(GCancellable) cancellable = begin_child();
  g_autoptr(MsConsole) console = ms_console_new(line);

  /* Ends the process without closing the driver, which may hang or abort after all results are written. */
  const MsExitStatus status = ms_batch_command_work(line, console, channel, cancellable);
  fflush(NULL);
  _exit(status);
}

/* A closed stream gets a file that fails as it did, so that no pipe to a worker takes its number. */
static void
fill_closed_streams(void)
{
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
    if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
      return;
}

static MsExitStatus
follow(MsGuard *guard, const MsCommandLine *line, MsConsole *console, GCancellable *cancellable, char **text)
{
  const MsGuardLimits limits = guard_limits(line, console);
  g_autoptr(GError) error = NULL;
  const MsExitStatus status = ms_guard_follow(guard, &limits, cancellable, text, &error);

  if (error) {
    if (*text)
      ms_console_print(console, *text);
    ms_console_error(console, error->message);
    ms_progress_error(console, error);
  }
  return status;
}

/* In a child that was started as a program; it never returns. */
static void
run_child(const MsCommandLine *line)
{
  if (ms_worker_is_one())
    work(NULL, (gpointer)line);
  MsChannel *channel = ms_guard_begin();
  if (!channel)
    _exit(MS_EXIT_INTERRUPTED);
  if (names_device(line))
    name_device(channel, (gpointer)line);
  run_command(channel, (gpointer)line);
}

/**
 * ms_headless_run: runs the action of a command line that ms_command_line_check() accepts.
 *
 * No driver is ever loaded here: what needs one runs in a child. Must be called before this process has created a
 * thread, since the first child is a copy of it.
 */
MsExitStatus
ms_headless_run(const MsCommandLine *line)
{
  Process process = {.line = line};
  g_autoptr(MsGuard) guard = NULL;
  MsExitStatus status = MS_EXIT_DONE;

  fill_closed_streams();
  if (ms_child_get_role())
    run_child(line);
  if (runs_in_child(line) || names_device(line))
    guard = ms_guard_new(names_device(line) ? name_device : run_command, (gpointer)line, measures(line));
  if (ms_command_line_action(line) == MS_COMMAND_IMAGES && !line->dry_run)
    process.worker = ms_supervisor_fork_worker(work, (gpointer)line);
  ms_signals_fail_writes();
  g_autoptr(GCancellable) cancellable = g_cancellable_new();
  ms_signals_cancel_on_interrupt(cancellable, FALSE);
  g_autoptr(MsConsole) console = ms_console_new(line);
  if (guard)
    status = follow(guard, line, console, cancellable, &process.device);
  if (!runs_in_child(line) && status == MS_EXIT_DONE)
    status = run(&process, console, cancellable);
  else
    ms_child_free(process.worker);
  g_free(process.device);
  ms_progress_ended(console, status);
  return status;
}
