/* SPDX-License-Identifier: MIT */
#include "core/batch/process/worker-process.h"

#include <errno.h>
#include <fcntl.h>
#include <glib-unix.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/error.h"

/* The file rather than the link to it, because a program under valgrind can start itself only by its file. */
static char *
own_program(void)
{
  g_autofree char *file = g_file_read_link("/proc/self/exe", NULL);

  return file && g_file_test(file, G_FILE_TEST_IS_EXECUTABLE) ? g_steal_pointer(&file) : g_strdup("/proc/self/exe");
}

/* (transfer full): the file to start, then its arguments; the first one names the process in messages of a driver. */
static GStrv
own_arguments(GError **error)
{
  g_autofree char *text = NULL, *program = own_program();
  gsize length = 0;
  g_autoptr(GStrvBuilder) builder = g_strv_builder_new();

  if (!g_file_get_contents("/proc/self/cmdline", &text, &length, NULL)) {
    ms_set_error(
      error, MS_ERROR_IO,
      "Worker processes cannot be started, because /proc is not mounted; mount it, or use --jobs-in-process.");
    return NULL;
  }
  g_strv_builder_add(builder, program);
  for (const char *p = text; p < text + length; p += strlen(p) + 1)
    g_strv_builder_add(builder, p == text ? "/proc/self/exe" : p);
  return g_strv_builder_end(builder);
}

/* Opens pipes for the jobs, the results, and the worker's standard error. */
static gboolean
open_pipes(int pipes[3][2], GError **error)
{
  for (int i = 0; i < 3; i++)
    if (!g_unix_open_pipe(pipes[i], FD_CLOEXEC, error)) {
      while (--i >= 0) {
        close(pipes[i][0]);
        close(pipes[i][1]);
      }
      return FALSE;
    }
  return TRUE;
}

static void
close_pipes(const MsWorkerProcess *self)
{
  close(self->jobs);
  close(self->results);
  close(self->messages.fd);
}

/**
 * ms_worker_process_start:
 * @self: (out): the worker, whose string of messages is set
 * @arguments: (nullable) (array zero-terminated=1): program and arguments, %NULL for those of this process
 * @device: %MS_WORKER_REQUESTED_DEVICE or %MS_WORKER_PROCESSOR
 * @files: (element-type int): which it inherits from descriptor %MS_WORKER_STREAMS_FD on
 */
gboolean
ms_worker_process_start(MsWorkerProcess *self, const char *const *arguments, const char *device, const GArray *files,
                        GError **error)
{
  g_auto(GStrv) own = arguments ? NULL : own_arguments(error);
  g_auto(GStrv) environment = g_environ_setenv(g_get_environ(), MS_WORKER_VARIABLE, device, TRUE);
  const gsize n = 2 + files->len;
  g_autofree int *sources = g_new(int, n);
  g_autofree int *targets = g_new(int, n);
  int pipes[3][2];

  if ((!arguments && !own) || !open_pipes(pipes, error))
    return FALSE;
  const int *to = pipes[0], *from = pipes[1], *messages = pipes[2];
  sources[0] = to[0];
  sources[1] = from[1];
  for (guint i = 0; i < n; i++)
    targets[i] = MS_WORKER_JOBS_FD + (int)i;
  for (guint i = 0; i < files->len; i++)
    sources[2 + i] = g_array_index(files, int, i);
  gboolean good = g_spawn_async_with_pipes_and_fds(
    NULL, own ? (const char *const *)own : arguments, (const char *const *)environment,
    G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_CHILD_INHERITS_STDIN | (own ? G_SPAWN_FILE_AND_ARGV_ZERO : G_SPAWN_SEARCH_PATH),
    NULL, NULL, -1, -1, messages[1], sources, targets, n, &self->pid, NULL, NULL, NULL, error);
  close(to[0]);
  close(from[1]);
  close(messages[1]);
  self->jobs = to[1];
  self->results = from[0];
  self->messages.fd = messages[0];
  if (!good)
    close_pipes(self);
  return good;
}

/**
 * ms_worker_process_fork:
 * @self: (out): the worker, whose string of messages is unset
 * @work: called in the worker, where ms_worker_is_one() is true
 *
 * Forks a worker for the requested device, which is much faster than starting the program and loading its libraries
 * again. The standard streams of this process must be open, and it must not have created a thread or opened a device.
 * Its descriptors stay open in the worker, since libraries may use some.
 *
 * Returns: %FALSE if the system cannot create the process
 */
gboolean
ms_worker_process_fork(MsWorkerProcess *self, MsWorkerMain work, gpointer data)
{
  static char name[] = "worker"; /* begins the messages of assertions, which must not look like this program's own */
  int pipes[3][2];

  self->pid = 0;
  if (!open_pipes(pipes, NULL))
    return FALSE;
  GPid pid = fork();
  if (pid == 0) {
    program_invocation_short_name = name;
    close(pipes[0][1]);
    close(pipes[1][0]);
    close(pipes[2][0]);
    dup2(pipes[2][1], STDERR_FILENO);
    close(pipes[2][1]);
    g_setenv(MS_WORKER_VARIABLE, MS_WORKER_REQUESTED_DEVICE, TRUE);
    work(&(MsWorkerPipes){pipes[0][0], pipes[1][1]}, data);
    _exit(EXIT_SUCCESS);
  }
  close(pipes[0][0]);
  close(pipes[1][1]);
  close(pipes[2][1]);
  *self =
    (MsWorkerProcess){.pid = MAX(pid, 0), .jobs = pipes[0][1], .results = pipes[1][0], .messages = {.fd = pipes[2][0]}};
  if (pid < 0)
    close_pipes(self);
  return pid > 0;
}

/**
 * ms_worker_process_take:
 * @self: (out): the worker, whose string of messages is set
 * @waiting: (nullable): a worker without jobs; its process is moved to @self
 *
 * Returns: whether there was such a process
 */
gboolean
ms_worker_process_take(MsWorkerProcess *self, MsWorkerProcess *waiting)
{
  GString *end = self->messages.end;

  if (!waiting || waiting->pid == 0)
    return FALSE;
  *self = *waiting;
  self->messages.end = end;
  waiting->pid = 0;
  return TRUE;
}

/** ms_worker_process_drop: ends a worker without jobs; does nothing if it has no process. */
void
ms_worker_process_drop(MsWorkerProcess *self)
{
  if (self->pid == 0)
    return;
  kill(self->pid, SIGKILL);
  waitpid(self->pid, &self->status, 0);
  close_pipes(self);
  self->pid = 0;
}

/** ms_worker_process_wait: waits for a message, output on standard error or an interruption, at most @milliseconds. */
MsWorkerEvent
ms_worker_process_wait(const MsWorkerProcess *self, GCancellable *cancellable, int milliseconds)
{
  GPollFD cancel = {.fd = -1};
  gboolean cancellable_has_fd = cancellable && g_cancellable_make_pollfd(cancellable, &cancel);
  struct pollfd fds[3] = {{.fd = self->results, .events = POLLIN},
                          {.fd = self->messages.fd, .events = POLLIN},
                          {.fd = cancel.fd, .events = POLLIN}};
  int n = poll(fds, cancellable_has_fd ? 3 : 2, milliseconds);

  if (cancellable_has_fd)
    g_cancellable_release_fd(cancellable);
  if (fds[0].revents)
    return MS_WORKER_EVENT_MESSAGE;
  if (cancellable_has_fd && fds[2].revents)
    return MS_WORKER_EVENT_CANCELLED;
  if (fds[1].revents)
    return MS_WORKER_EVENT_STDERR;
  return n < 0 && errno == EINTR ? MS_WORKER_EVENT_MESSAGE : MS_WORKER_EVENT_SILENCE;
}

/** ms_worker_process_end: waits @patience_ms for the process to exit, then kills it; closes the pipes. */
void
ms_worker_process_end(MsWorkerProcess *self, int patience_ms)
{
  gint64 deadline = g_get_monotonic_time() + (gint64)patience_ms * 1000;

  while (waitpid(self->pid, &self->status, WNOHANG) == 0) {
    if (g_get_monotonic_time() > deadline) {
      kill(self->pid, SIGKILL);
      waitpid(self->pid, &self->status, 0);
      break;
    }
    g_usleep(1000);
  }
  g_spawn_close_pid(self->pid);
  ms_worker_stderr_finish(&self->messages);
  close(self->results);
}

/** ms_worker_process_describe_end: (transfer full): how the process exited, as a clause of a sentence. */
char *
ms_worker_process_describe_end(const MsWorkerProcess *self)
{
  int status = self->status;

  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
    return g_strdup("it was killed, perhaps because the system ran out of memory");
  if (WIFSIGNALED(status))
    return g_strdup_printf("it was ended by signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
  return g_strdup_printf("it ended with status %d", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
}
