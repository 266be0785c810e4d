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
#include "core/image/file/file-path.h"
#include "core/image/image-io.h"
#include "core/lab/measure/log.h"
#include "core/process/driver.h"
#include "core/service/service.h"
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
#define OTHER_THREADS 7
#define MOST_CHECKED 32

/* Whether another process can read the inputs again: a pipe gives its bytes once. */
static gboolean
can_be_repeated(const MsCommandLine *line)
{
  const char *const read[] = {line->batch.inputs[0], line->compare, line->experiment};

  for (gsize i = 0; i < G_N_ELEMENTS(read); i++)
    if (read[i] && (ms_file_path_is_standard(read[i]) || ms_image_is_stream(read[i])))
      return FALSE;
  return TRUE;
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

/* @driver: (nullable): of a batch, which alone needs one here */
static MsExitStatus
run_here(const MsCommandLine *line, MsDriver *driver, MsConsole *console, GCancellable *cancellable)
{
  const MsCommand *command = ms_command_find(line);
  g_autoptr(GError) error = NULL;

  if (!ms_output_check(line, &error))
    return ms_command_fail(console, error);
  return check_output(console, command->run ? command->run(line, console, cancellable)
                                            : ms_batch_command_run(line, console, driver, cancellable));
}

/* Children */

static gboolean
run_command(MsChannel *channel, GVariant *content, gpointer data)
{
  MsCommandChild *child = data;

  ms_console_set_parent(child->console, channel);
  const MsExitStatus status = run_here(child->line, NULL, child->console, child->cancellable);
  g_clear_pointer(&child->console, ms_console_free);
  fflush(NULL);
  ms_service_answer_done(channel, (int)status);
  return FALSE;
}

/* The main function of a child. A second signal does nothing here, because the parent ends the child. */
static void
serve(MsChannel *channel, gconstpointer line)
{
  static const MsServiceWork work[MS_N_REQUESTS] = {[MS_REQUEST_COMMAND] = run_command,
                                                    [MS_REQUEST_DEVICE] = ms_batch_command_open_device,
                                                    [MS_REQUEST_ITEMS] = ms_batch_command_filter};
  MsCommandChild child = {.line = line, .cancellable = g_cancellable_new()};

  fail_writes();
  cancel_on_interrupt(child.cancellable, TRUE);
  child.console = ms_console_new(line);
  ms_child_exit(ms_service_serve(channel, work, &child));
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
 * @log: (nullable): what the children have measured so far
 * @so_far: (nullable): what they have done, as a text
 * @has_ended: whether a child said how the command ended, with @status
 */
typedef struct {
  const MsCommandLine *line;
  MsConsole *console;
  MsDriver *driver;
  MsLabLog *log;
  GArray *files;
  char *so_far;
  gboolean has_ended;
  int status;
  gboolean has_results;
} Watched;

static gboolean
has_work(gpointer data)
{
  return !((Watched *)data)->has_ended;
}

static void
begin(gpointer data)
{
  ms_service_request(((Watched *)data)->driver, 0, MS_REQUEST_COMMAND, g_variant_new("()"), NULL);
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
  w->has_ended = TRUE;
  g_variant_get(content, "(i)", &w->status);
  return MS_DRIVER_FINISHED;
}

/* One that measures is repeated as long as one in a few brings something. */
static MsDriverDeath
take_death(MsChildEnd end, const char *how, gpointer data)
{
  Watched *w = data;

  if ((end != MS_CHILD_END_DIED && end != MS_CHILD_END_OVERDUE) || w->has_results || !can_be_repeated(w->line))
    return MS_DRIVER_DEATH_IS_FINAL;
  if (w->log)
    ms_lab_log_note_death(w->log, how);
  return w->log && ms_lab_log_has_grown(w->log) ? MS_DRIVER_DEATH_AFTER_RESULT : MS_DRIVER_DEATH_COUNTS;
}

static double
seconds_left(gpointer data)
{
  return ms_lab_log_seconds_left(((Watched *)data)->log);
}

static void
on_note(const char *sentence, gpointer data)
{
  ms_console_print_note(sentence, ((Watched *)data)->console);
}

/*
 * (transfer full): a driver with its first process, a copy of this one, so that it must be made before this process
 * creates a thread.
 */
static MsDriver *
begin_driver(Watched *w, const MsCommand *command)
{
  MsChildStart start = ms_service_start(MS_SERVICE_ROLE_COMMAND);

  start.work = serve;
  start.line = w->line;
  start.captures_stderr = !command->uses_driver;
  w->log = command->measures ? ms_lab_log_new(NULL) : NULL;
  if (w->log) {
    const int fd = ms_lab_log_get_fd(w->log);
    g_array_append_val(w->files, fd);
    start.files = w->files;
    start.files_variable = MS_LAB_LOG_VARIABLE;
  }
  MsDriver *driver = ms_driver_new(&start);
  ms_driver_begin(driver);
  return driver;
}

static void
watched_clear(Watched *w)
{
  ms_driver_free(w->driver);
  g_clear_pointer(&w->log, ms_lab_log_free);
  g_array_unref(w->files);
  g_free(w->so_far);
}

static void
explain_late(const Watched *w, GError **error)
{
  ms_set_error(error, MS_ERROR_TIMEOUT,
               "The command took longer than the %g s of --timeout and was ended. Allow more time, or select another "
               "device with --device.",
               w->line->batch.limits.wait.silence_s);
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
  const MsDriverUser user = {
    .rules = {.usual_cache = 2},
    /* Experiments and searches that are cancelled finish the compilation or the serial reference that they are at. */
    .watch = {.limit_s = w->line->batch.limits.wait.silence_s, .grace_s = w->log ? 3 * GRACE_S : GRACE_S},
    .exit_s = 1,
    .has_work = has_work,
    .begin = begin,
    .take = take_answer,
    .died = take_death,
    .seconds_left = w->log ? seconds_left : NULL,
    .note = on_note,
    .data = w};
  g_autoptr(GError) error = NULL;
  const MsChildEnd end = ms_driver_run(w->driver, &user, cancellable, &error);
  const gboolean is_late = end == MS_CHILD_END_LATE && (!w->has_ended || w->status == MS_EXIT_INTERRUPTED);
  MsExitStatus status = MS_EXIT_NO_DEVICE;

  if (is_late)
    explain_late(w, &error);
  else if (w->has_ended)
    status = (MsExitStatus)w->status;
  else if (end == MS_CHILD_END_CANCELLED)
    status = MS_EXIT_INTERRUPTED;
  if (status == MS_EXIT_INTERRUPTED && end == MS_CHILD_END_CANCELLED && !w->has_ended)
    explain_cancelled(w, &error);
  if (error) {
    if (w->so_far && !w->has_ended)
      ms_console_print(w->console, w->so_far);
    ms_console_error(w->console, error->message);
    ms_progress_error(w->console, error);
  }
  return status;
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
  Watched watched = {.line = line, .files = g_array_new(FALSE, FALSE, sizeof(int))};
  g_autoptr(GError) error = NULL;
  MsExitStatus status = MS_EXIT_DONE;

  fill_closed_streams();
  /* How a child ended is unknown where the caller has SIGCHLD ignored. */
  signal(SIGCHLD, SIG_DFL);
  if (ms_child_get_role())
    serve(NULL, line);
  if (ms_address_limit() == G_MAXUINT64 &&
      !ms_threads_check(OTHER_THREADS + MIN(g_get_num_processors(), MOST_CHECKED), &error)) {
    g_autoptr(MsConsole) own = ms_console_new(line);
    watched_clear(&watched);
    return ms_command_fail(own, error);
  }
  if (command->uses_driver ||
      (command->action == MS_COMMAND_IMAGES && (!line->dry_run || ms_batch_command_names_device(line))))
    watched.driver = begin_driver(&watched, command);
  fail_writes();
  g_autoptr(GCancellable) cancellable = g_cancellable_new();
  cancel_on_interrupt(cancellable, FALSE);
  g_autoptr(MsConsole) console = ms_console_new(line);
  watched.console = console;
  if (command->uses_driver)
    status = follow_command(&watched, cancellable);
  else
    status = run_here(line, watched.driver, console, cancellable);
  watched_clear(&watched);
  ms_progress_ended(console, status);
  return command->uses_driver ? check_output(console, status) : status;
}
