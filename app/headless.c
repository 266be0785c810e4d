/* SPDX-License-Identifier: MIT */
#include "app/headless.h"

#include <fcntl.h>
#include <gio/gio.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "app/commands/command.h"
#include "app/process/guard.h"
#include "app/report/progress-json.h"
#include "core/batch/supervisor.h"
#include "core/batch/worker.h"
#include "core/engine/engine.h"
#include "core/image/file/file-path.h"
#include "core/image/image-io.h"

/* Signals */

static gboolean
is_ignored(int number)
{
  struct sigaction action;

  return sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

/* SIGINT, SIGTERM and SIGHUP, without those that the program was started with ignored, as under nohup */
static void
get_interrupts(sigset_t *set)
{
  static const int interrupts[] = {SIGINT, SIGTERM, SIGHUP};

  sigemptyset(set);
  for (gsize i = 0; i < G_N_ELEMENTS(interrupts); i++)
    if (!is_ignored(interrupts[i]))
      sigaddset(set, interrupts[i]);
}

static void
cancel_on_next(GCancellable *cancellable)
{
  sigset_t set;
  int number = 0;

  get_interrupts(&set);
  sigwait(&set, &number);
  g_cancellable_cancel(cancellable);
}

/* The second signal ends the process at once, because a driver may be stuck in a call. */
static gpointer
cancel_then_exit_in_thread(gpointer cancellable)
{
  cancel_on_next(cancellable);
  cancel_on_next(cancellable);
  _exit(MS_EXIT_INTERRUPTED);
  return NULL;
}

/* One signal to the process group arrives twice here: from its sender, and from the process that watches this one. */
static gpointer
cancel_each_time_in_thread(gpointer cancellable)
{
  while (TRUE)
    cancel_on_next(cancellable);
  return NULL;
}

/* A write to a closed pipe or beyond the limit of a file's size fails, instead of ending the process by a signal. */
static void
fail_writes(void)
{
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);
}

/*
 * Lets one thread receive the signals that interrupt, and cancel for them. It comes before any other thread, since all
 * inherit the mask.
 * @is_watched: whether another process ends this one if it does not end by itself
 */
static void
cancel_on_interrupt(GCancellable *cancellable, gboolean is_watched)
{
  sigset_t set;

  get_interrupts(&set);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  g_thread_unref(g_thread_new("ms-signals", is_watched ? cancel_each_time_in_thread : cancel_then_exit_in_thread,
                              g_object_ref(cancellable)));
}

/* Seconds in which cancelled work ends unless a driver hangs. */
#define GRACE_S 10

/* What the parent of a batch has: its first worker, and the device's name where files are named by it. */
typedef struct {
  const MsCommandLine *line;
  MsChild *worker;
  char *device;
} Process;

static gboolean
names_device(const MsCommandLine *line)
{
  return ms_command_line_action(line) == MS_COMMAND_IMAGES && ms_batch_command_names_device(line);
}

/*
 * Experiments and searches that are cancelled finish the compilation or the serial reference that they are at. What
 * comes through a pipe cannot be read a second time.
 */
static MsGuardLimits
guard_limits(const MsCommandLine *line, MsConsole *console)
{
  const MsCommand *command = ms_command_find(line);
  const char *const read[] = {line->inputs[0], line->compare, line->experiment};
  gboolean repeats = TRUE;

  for (gsize i = 0; i < G_N_ELEMENTS(read); i++)
    if (command->action != MS_COMMAND_IMAGES && read[i] &&
        (ms_file_path_is_standard(read[i]) || ms_image_is_stream(read[i])))
      repeats = FALSE;

  return (MsGuardLimits){line->timeout, command->measures ? 3 * GRACE_S : GRACE_S,
                         repeats ? MS_CHILD_MOST_VAIN_STARTS : 1, ms_console_print_note, console};
}

static MsExitStatus
run(const Process *process, MsConsole *console, GCancellable *cancellable)
{
  const MsCommandLine *line = process->line;
  const MsCommand *command = ms_command_find(line);
  g_autoptr(GError) error = NULL;

  if (!ms_output_check(line, &error)) {
    ms_child_free(process->worker);
    return ms_command_fail(console, error);
  }
  MsExitStatus status = command->run
                          ? command->run(line, console, cancellable)
                          : ms_batch_command_run(line, console, process->device, process->worker, cancellable);
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

  fail_writes();
  cancel_on_interrupt(cancellable, TRUE);
  return cancellable;
}

static void
run_command(MsChannel *channel, gpointer line)
{
  const Process process = {.line = line};
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
  MsEngine *engine = ms_command_open_engine(line, FALSE, console, &error);

  if (engine)
    ms_guard_finish(channel, MS_EXIT_DONE, ms_engine_describe(engine).name);
  ms_guard_finish(channel, ms_command_fail(console, error), "");
}

static void
work(MsChannel *channel, gpointer line)
{
  g_autoptr(GCancellable) cancellable = begin_child();
  g_autoptr(MsConsole) console = ms_console_new(line);

  ms_child_exit((int)ms_batch_command_work(line, console, channel, cancellable));
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
  const MsCommand *command = ms_command_find(line);
  Process process = {.line = line};
  g_autoptr(MsGuard) guard = NULL;
  MsExitStatus status = MS_EXIT_DONE;

  fill_closed_streams();
  /* How a child ended is unknown where the caller has SIGCHLD ignored. */
  signal(SIGCHLD, SIG_DFL);
  if (ms_child_get_role())
    run_child(line);
  if (command->uses_driver || names_device(line))
    guard = ms_guard_new(names_device(line) ? name_device : run_command, (gpointer)line, command->measures);
  if (command->action == MS_COMMAND_IMAGES && !line->dry_run)
    process.worker = ms_supervisor_fork_worker(work, (gpointer)line);
  fail_writes();
  g_autoptr(GCancellable) cancellable = g_cancellable_new();
  cancel_on_interrupt(cancellable, FALSE);
  g_autoptr(MsConsole) console = ms_console_new(line);
  if (guard)
    status = follow(guard, line, console, cancellable, &process.device);
  if (!command->uses_driver && status == MS_EXIT_DONE)
    status = run(&process, console, cancellable);
  else
    ms_child_free(process.worker);
  g_free(process.device);
  ms_progress_ended(console, status);
  return status;
}
