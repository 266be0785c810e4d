/* SPDX-License-Identifier: MIT */
#include "app/headless.h"

#include <fcntl.h>
#include <gio/gio.h>
#include <glib/gi18n-lib.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/commands/command.h"
#include "app/report/progress-json.h"
#include "core/batch/supervisor.h"
#include "core/batch/worker.h"
#include "core/engine/engine.h"
#include "core/image/file/file-path.h"
#include "core/image/image-io.h"
#include "core/lab/measure/journal.h"
#include "core/process/driver.h"
#include "core/service/protocol.h"
#include "core/threads.h"

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
  GThread *thread = is_watched
                      ? g_thread_try_new("ms-signals", cancel_each_time_in_thread, g_object_ref(cancellable), NULL)
                      : g_thread_try_new("ms-signals", cancel_then_exit_in_thread, g_object_ref(cancellable), NULL);
  /* Without the thread a signal ends the process at once. */
  if (thread)
    g_thread_unref(thread);
  else
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

/* Seconds in which cancelled work ends unless a driver hangs. */
#define GRACE_S 10

/* Of this process and its child: for signals, progress and the driver, beside one for each processor. */
#define OTHER_THREADS 6
#define MOST_CHECKED 32

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
 * What comes through a pipe cannot be read a second time; ms_batch_command_run() keeps its bytes.
 */
static gboolean
can_be_repeated(const MsCommandLine *line)
{
  const char *const read[] = {line->inputs[0], line->compare, line->experiment};
  gboolean repeats = TRUE;

  for (gsize i = 0; i < G_N_ELEMENTS(read); i++)
    if (ms_command_line_action(line) != MS_COMMAND_IMAGES && read[i] &&
        (ms_file_path_is_standard(read[i]) || ms_image_is_stream(read[i])))
      repeats = FALSE;
  return repeats;
}

const char ms_output_failed[] = N_("Standard output could not be written to; the results there are not complete.");

/* Fails a run whose results did not arrive. */
static MsExitStatus
check_output(MsConsole *console, MsExitStatus status)
{
  if (fflush(stdout) == 0 && !ferror(stdout))
    return status;
  ms_console_error(console, _(ms_output_failed));
  return status == MS_EXIT_DONE ? MS_EXIT_SOME_FAILED : status;
}

static MsExitStatus
run_process(const Process *process, MsConsole *console, GCancellable *cancellable)
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
  return check_output(console, status);
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

/* Says how a command ended, and ends this process. */
static void
finish(MsChannel *channel, MsExitStatus status, const char *text)
{
  g_autofree char *valid = g_utf8_make_valid(text, -1);

  fflush(NULL);
  ms_service_answer(channel, 0, MS_ANSWER_DONE, g_variant_new("(is)", (int)status, valid), NULL);
  ms_child_exit((int)status);
}

static void
run_command(MsChannel *channel, gpointer line)
{
  const Process process = {.line = line};
  g_autoptr(GCancellable) cancellable = begin_child();
  g_autoptr(MsConsole) console = ms_console_new(line);

  ms_console_set_parent(console, channel);
  const MsExitStatus status = run_process(&process, console, cancellable);
  g_clear_pointer(&console, ms_console_free);
  finish(channel, status, "");
}

static void
name_device(MsChannel *channel, gpointer line)
{
  g_autoptr(GCancellable) cancellable = begin_child();
  g_autoptr(MsConsole) console = ms_console_new(line);
  g_autoptr(GError) error = NULL;
  MsEngine *engine = ms_command_open_engine(line, FALSE, console, &error);

  if (engine)
    finish(channel, MS_EXIT_DONE, ms_engine_describe(engine).name);
  finish(channel, ms_command_fail(console, error), "");
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

/* The parent of a command that loads a driver */

/*
 * @journal: (nullable): what the children have measured so far
 * @so_far: (nullable): what they have done, as a text
 * @text: (nullable): of the child that said how the command ended
 */
typedef struct {
  const MsCommandLine *line;
  MsConsole *console;
  MsDriver *driver;
  MsLabJournal *journal;
  GArray *files;
  char *so_far;
  char *text;
  int status;
  gboolean has_results;
} Watched;

static gboolean
has_work(gpointer data)
{
  return !((Watched *)data)->text;
}

static MsDriverEvent
take_answer(MsMessage *message, gpointer data)
{
  Watched *w = data;
  g_autoptr(GVariant) content = g_variant_get_child_value(message->payload, 1);

  if (message->kind == MS_ANSWER_SO_FAR) {
    g_free(w->so_far);
    g_variant_get(content, "(s)", &w->so_far);
    return MS_DRIVER_NOTHING;
  }
  w->has_results = TRUE;
  if (message->kind != MS_ANSWER_DONE)
    return MS_DRIVER_NOTHING;
  g_free(w->text);
  g_variant_get(content, "(is)", &w->status, &w->text);
  return MS_DRIVER_FINISHED;
}

/* One that measures is repeated as long as one in a few brings something. */
static MsDriverDeath
take_death(MsChildEnd end, const char *how, gpointer data)
{
  Watched *w = data;

  if ((end != MS_CHILD_END_DIED && end != MS_CHILD_END_OVERDUE) || w->has_results || !can_be_repeated(w->line))
    return MS_DRIVER_DEATH_IS_FINAL;
  if (w->journal)
    ms_lab_journal_note_death(w->journal, how);
  return w->journal && ms_lab_journal_has_grown(w->journal) ? MS_DRIVER_DEATH_AFTER_RESULT : MS_DRIVER_DEATH_COUNTS;
}

static double
seconds_left(gpointer data)
{
  return ms_lab_journal_seconds_left(((Watched *)data)->journal);
}

static void
on_note(const char *sentence, gpointer data)
{
  ms_console_print_note(sentence, ((Watched *)data)->console);
}

/* Starts the command in a child; must be called before this process creates a thread, since it forks. */
static void
watched_init(Watched *w)
{
  const MsCommand *command = ms_command_find(w->line);
  MsDriverUser user = {
    .start = {.role = "command", .from_child = &ms_service_answers, .to_child = &ms_service_requests},
    .rules = {.most_vain = MS_DRIVER_MOST_VAIN, .usual_cache = 2},
    /* Experiments and searches that are cancelled finish the compilation or the serial reference that they are at. */
    .watch = {.limit_s = w->line->timeout, .grace_s = command->measures ? 3 * GRACE_S : GRACE_S},
    .exit_s = 1,
    .has_work = has_work,
    .take = take_answer,
    .died = take_death,
    .note = on_note,
    .data = w};

  w->journal = command->measures ? ms_lab_journal_new(NULL) : NULL;
  if (w->journal) {
    const int fd = ms_lab_journal_get_fd(w->journal);
    g_array_append_val(w->files, fd);
    user.start.files = w->files;
    user.start.files_variable = MS_LAB_JOURNAL_VARIABLE;
    user.seconds_left = seconds_left;
  }
  w->driver = ms_driver_new(&user);
  ms_driver_adopt(
    w->driver, ms_child_fork(&user.start, names_device(w->line) ? name_device : run_command, (gpointer)w->line, NULL));
}

static void
watched_clear(Watched *w)
{
  ms_driver_free(w->driver);
  g_clear_pointer(&w->journal, ms_lab_journal_free);
  g_array_unref(w->files);
  g_free(w->so_far);
  g_free(w->text);
}

static void
explain_late(const Watched *w, GError **error)
{
  ms_set_error(error, MS_ERROR_TIMEOUT,
               "The command took longer than the %g s of --timeout and was ended. Allow more time, or select another "
               "device with --device.",
               w->line->timeout);
}

static void
explain_cancelled(const Watched *w, GError **error)
{
  const int status = ms_child_get_status(ms_driver_get_child(w->driver));

  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
    ms_set_error_literal(error, MS_ERROR_DEVICE,
                         "The process that used OpenCL did not end by itself and was killed; finished files are kept.");
}

/* Waits until the command has ended. Reports the reason where the child could not: it died, was late or was killed. */
static MsExitStatus
follow_command(Watched *w, GCancellable *cancellable)
{
  g_autoptr(GError) error = NULL;
  const MsChildEnd end = ms_driver_run(w->driver, cancellable, &error);
  const gboolean is_late = end == MS_CHILD_END_LATE && (!w->text || w->status == MS_EXIT_INTERRUPTED);
  MsExitStatus status = MS_EXIT_NO_DEVICE;

  if (is_late)
    explain_late(w, &error);
  else if (w->text)
    status = (MsExitStatus)w->status;
  else if (end == MS_CHILD_END_CANCELLED)
    status = MS_EXIT_INTERRUPTED;
  if (status == MS_EXIT_INTERRUPTED && end == MS_CHILD_END_CANCELLED && !w->text)
    explain_cancelled(w, &error);
  if (error) {
    if (w->so_far && !w->text)
      ms_console_print(w->console, w->so_far);
    ms_console_error(w->console, error->message);
    ms_progress_error(w->console, error);
  }
  return status;
}

/* In a child that was started as a program; it never returns. */
static void
run_child(const MsCommandLine *line)
{
  if (ms_worker_is_one())
    work(NULL, (gpointer)line);
  MsChannel *channel = ms_child_begin(&ms_service_requests, &ms_service_answers);
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
  Watched watched = {.line = line, .files = g_array_new(FALSE, FALSE, sizeof(int))};
  const gboolean is_watched = command->uses_driver || names_device(line);
  g_autoptr(GError) error = NULL;
  MsExitStatus status = MS_EXIT_DONE;

  fill_closed_streams();
  /* How a child ended is unknown where the caller has SIGCHLD ignored. */
  signal(SIGCHLD, SIG_DFL);
  if (ms_child_get_role())
    run_child(line);
  if (ms_address_limit() == G_MAXUINT64 &&
      !ms_threads_check(OTHER_THREADS + MIN(g_get_num_processors(), MOST_CHECKED), &error)) {
    g_autoptr(MsConsole) own = ms_console_new(line);
    watched_clear(&watched);
    return ms_command_fail(own, error);
  }
  if (is_watched)
    watched_init(&watched);
  if (command->action == MS_COMMAND_IMAGES && !line->dry_run)
    process.worker = ms_supervisor_fork_worker(work, (gpointer)line);
  fail_writes();
  g_autoptr(GCancellable) cancellable = g_cancellable_new();
  cancel_on_interrupt(cancellable, FALSE);
  g_autoptr(MsConsole) console = ms_console_new(line);
  watched.console = console;
  if (is_watched)
    status = follow_command(&watched, cancellable);
  process.device = watched.text;
  if (!command->uses_driver && status == MS_EXIT_DONE)
    status = run_process(&process, console, cancellable);
  else
    ms_child_free(process.worker);
  watched_clear(&watched);
  ms_progress_ended(console, status);
  return is_watched ? check_output(console, status) : status;
}
