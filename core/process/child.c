/* SPDX-License-Identifier: MIT */
#include "core/process/child.h"

#include <errno.h>
#include <fcntl.h>
#include <glib-unix.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/file.h"
#include "core/opencl/context.h"
#include "core/opencl/driver-cache.h"

/* Bytes of standard error that are kept, enough for the last lines of a compiler. */
#define MOST_KEPT 4096

/* A child that writes more than this to standard error between two messages is ended. */
#define MOST_FLOOD (16 << 20)

struct _MsChild {
  GPid pid;
  int status; /* of waitpid() */
  gboolean has_ended;
  MsChannel *channel;
  int messages; /* the pipe of its standard error, -1 for none */
  gboolean passes;
  GString *said; /* the last bytes that it wrote there */
  gsize written; /* since its last message */
  const char *library;
  gint *wait;        /* (nullable): what it waits for in its driver; another process writes it */
  guint last_wait;   /* the number of that wait when it was looked at last */
  gint64 waits_us;   /* since when */
  gboolean has_told; /* whether somebody was told of it */
};

/** ms_child_find_program: (transfer full): the file of this program. */
char *
ms_child_find_program(void)
{
  const char *named = g_getenv(MS_CHILD_PROGRAM_VARIABLE);
  /* The file rather than the link to it, because a program under valgrind can start itself only by its file. */
  g_autofree char *file = g_file_read_link("/proc/self/exe", NULL);

  if (named)
    return g_strdup(named);
  return file && g_file_test(file, G_FILE_TEST_IS_EXECUTABLE) ? g_steal_pointer(&file) : g_strdup("/proc/self/exe");
}

/* (transfer full): the file to start, then its arguments; the first one names the process in messages of a driver. */
static GStrv
own_arguments(GError **error)
{
  g_autofree char *text = NULL;
  gsize length = 0;
  g_autoptr(GStrvBuilder) builder = g_strv_builder_new();
  g_autofree char *program = ms_child_find_program();

  if (!g_file_get_contents("/proc/self/cmdline", &text, &length, NULL)) {
    ms_set_error_literal(error, MS_ERROR_IO,
                         "Processes for the device cannot be started, because /proc is not mounted; mount it.");
    return NULL;
  }
  g_strv_builder_add(builder, program);
  for (const char *p = text; p < text + length; p += strlen(p) + 1)
    g_strv_builder_add(builder, p == text ? "/proc/self/exe" : p);
  return g_strv_builder_end(builder);
}

static void
close_if_open(int fd)
{
  if (fd >= 0)
    close(fd);
}

/*
 * What connects a child with this process; the first of two ends is that of this process, -1 for none.
 * @wait: the descriptor of the block in which a child that loads a driver notes what it waits for; -1 for none
 */
typedef struct {
  int channel[2];
  int messages[2];
  int wait;
} Ends;

static void
close_ends(Ends *ends, int which)
{
  close_if_open(ends->channel[which]);
  close_if_open(ends->messages[which]);
}

static gboolean
open_ends(const MsChildStart *start, Ends *ends, GError **error)
{
  *ends = (Ends){{-1, -1}, {-1, -1}, -1};
  if (!start->library && (ends->wait = ms_channel_new_memory(sizeof(gint), error)) < 0)
    return FALSE;
  if (ms_channel_open_pair(ends->channel, error) &&
      (!start->captures_stderr || g_unix_open_pipe(ends->messages, FD_CLOEXEC, error)))
    return TRUE;
  close_ends(ends, 0);
  close_ends(ends, 1);
  close_if_open(ends->wait);
  return FALSE;
}

/* (nullable): the child whose start has ended, if there is one. */
static MsChild *
child_new(GPid pid, Ends *ends, const MsChildStart *start)
{
  close_ends(ends, 1);
  if (pid <= 0) {
    close_ends(ends, 0);
    close_if_open(ends->wait);
    return NULL;
  }
  MsChild *self = g_new0(MsChild, 1);
  self->pid = pid;
  self->channel = ms_channel_new(ends->channel[0], start->from_child, start->to_child, FALSE);
  self->messages = ends->messages[0];
  self->library = start->library ? start->library : "driver";
  self->said = g_string_new(NULL);
  self->wait = ends->wait >= 0 ? ms_channel_map_memory(ends->wait, sizeof(gint), FALSE, NULL) : NULL;
  close_if_open(ends->wait);
  return self;
}

/* In a child: notes its waits in the block of this descriptor. */
static void
share_wait(int fd)
{
  gint *block = fd >= 0 ? ms_channel_map_memory(fd, sizeof(gint), TRUE, NULL) : NULL;

  close_if_open(fd);
  if (block)
    ms_wait_share(block);
}

/* 0 with the error of g_spawn_async() */
static GPid
start_program(const MsChildStart *start, Ends *ends, GError **error)
{
  g_autofree char *program = start->is_bare ? ms_child_find_program() : NULL;
  const char *const bare[] = {program, NULL}, *const *given = start->is_bare ? bare : start->arguments;
  g_auto(GStrv) own = given ? NULL : own_arguments(error);
  g_auto(GStrv) environment = g_environ_setenv(g_get_environ(), MS_CHILD_VARIABLE, start->role, TRUE);
  const gsize n_files = start->files ? start->files->len : 0, n = 1 + n_files + (start->library ? 0 : 1);
  g_autofree char *wait = g_strdup_printf("%d", MS_CHILD_FILES_FD + (int)n_files);
  g_autofree int *sources = g_new(int, n);
  g_autofree int *targets = g_new(int, n);
  GPid pid = 0;

  if (!given && !own)
    return 0;
  environment = g_environ_setenv(environment, MS_CHILD_WAIT_VARIABLE, wait, TRUE);
  for (const char *const *v = start->variables; v && *v; v += 2)
    environment = g_environ_setenv(environment, v[0], v[1], TRUE);
  if (start->files_variable)
    environment = g_environ_setenv(environment, start->files_variable, G_STRINGIFY(MS_CHILD_FILES_FD), TRUE);
  if (start->follows_death)
    environment = g_environ_setenv(environment, MS_CONTEXT_PROBE_VARIABLE, "1", TRUE);
  if (start->cache)
    environment = g_environ_setenv(environment, MS_DRIVER_CACHE_VARIABLE, start->cache, TRUE);
  sources[0] = ends->channel[1];
  sources[n - 1] = n > 1 + n_files ? ends->wait : sources[n - 1];
  for (guint i = 0; i < n; i++)
    targets[i] = MS_CHILD_CHANNEL_FD + (int)i;
  for (guint i = 0; i < n_files; i++)
    sources[i + 1] = g_array_index(start->files, int, i);
  if (!g_spawn_async_with_pipes_and_fds(NULL, own ? (const char *const *)own : given, (const char *const *)environment,
                                        G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_CHILD_INHERITS_STDIN |
                                          (own ? G_SPAWN_FILE_AND_ARGV_ZERO : G_SPAWN_SEARCH_PATH),
                                        NULL, NULL, -1, -1, ends->messages[1], sources, targets, n, &pid, NULL, NULL,
                                        NULL, error))
    return 0;
  return pid;
}

static void
run_copy(const MsChildStart *start, Ends *ends)
{
  static char name[] = "worker"; /* begins the messages of assertions, which must not look like this program's own */

  close_ends(ends, 0);
  share_wait(ends->wait);
  if (start->captures_stderr) {
    program_invocation_short_name = name;
    dup2(ends->messages[1], STDERR_FILENO);
    close(ends->messages[1]);
  }
  g_setenv(MS_CHILD_VARIABLE, start->role, TRUE);
  if (start->files_variable) {
    g_autofree char *first = g_strdup_printf("%d", g_array_index(start->files, int, 0));
    g_setenv(start->files_variable, first, TRUE);
  }
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  start->work(ms_channel_new(ends->channel[1], start->to_child, start->from_child, TRUE), start->line);
  ms_child_exit(EXIT_SUCCESS);
}

/* 0 with #MS_ERROR_IO if the system cannot create the process */
static GPid
copy_process(const MsChildStart *start, Ends *ends, GError **error)
{
  const pid_t parent = getpid();
  const GPid pid = fork();

  if (pid == 0) {
    if (getppid() != parent)
      _exit(EXIT_FAILURE);
    run_copy(start, ends);
  }
  if (pid < 0)
    ms_set_error(error, MS_ERROR_IO, "A process for the device cannot be created: %s.", ms_errno_text(errno));
  return MAX(pid, 0);
}

/**
 * ms_child_spawn:
 *
 * Starts this program once more as a child, or the one that @start names. Its standard input and output are those of
 * this process.
 *
 * A copy of this process starts much faster, since its libraries are loaded. The standard streams must be open then,
 * and this process must not have created a thread or loaded a driver. Its descriptors stay open in the copy, since
 * libraries may use some.
 *
 * Returns: (transfer full): the child; %NULL with #MS_ERROR_IO or the error of g_spawn_async()
 */
MsChild *
ms_child_spawn(const MsChildStart *start, GError **error)
{
  Ends ends;

  if (!open_ends(start, &ends, error))
    return NULL;
  return child_new(start->work ? copy_process(start, &ends, error) : start_program(start, &ends, error), &ends, start);
}

/** ms_child_get_role: (nullable): the role of this process, %NULL if it is no child. */
const char *
ms_child_get_role(void)
{
  return g_getenv(MS_CHILD_VARIABLE);
}

/**
 * ms_child_begin:
 *
 * To be called first in a child that was started as a program. From now on this process ends with its parent.
 *
 * Returns: (transfer full) (nullable): the channel to the parent; %NULL if it has died already
 */
MsChannel *
ms_child_begin(const MsProtocol *incoming, const MsProtocol *outgoing)
{
  struct pollfd fd = {.fd = MS_CHILD_CHANNEL_FD};

  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (poll(&fd, 1, 0) > 0 && (fd.revents & (POLLHUP | POLLERR | POLLNVAL)))
    return NULL;
  fcntl(MS_CHILD_CHANNEL_FD, F_SETFD, FD_CLOEXEC);
  const char *wait = g_getenv(MS_CHILD_WAIT_VARIABLE);
  share_wait(wait ? atoi(wait) : -1);
  g_unsetenv(MS_CHILD_WAIT_VARIABLE);
  return ms_channel_new(MS_CHILD_CHANNEL_FD, incoming, outgoing, TRUE);
}

/**
 * ms_child_exit:
 *
 * Ends this process, a child, without closing the driver, which may hang or abort then. The standard streams are closed
 * first, since whoever reads them waits for their end.
 */
void
ms_child_exit(int status)
{
  fflush(NULL);
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
    close(fd);
  _exit(status);
}

/** ms_child_send: sends a message without waiting; see ms_channel_send(). */
gboolean
ms_child_send(MsChild *self, guint kind, GVariant *payload, const int *fds, GError **error)
{
  return ms_channel_send(self->channel, kind, payload, fds, error);
}

MsChannel *
ms_child_get_channel(MsChild *self)
{
  return self->channel;
}

GPid
ms_child_get_pid(MsChild *self)
{
  return self->pid;
}

/** ms_child_get_wait: what it waits for in its driver, or did when it ended. */
MsWait
ms_child_get_wait(MsChild *self)
{
  return self->wait ? ms_wait_read(self->wait, NULL) : MS_WAIT_NONE;
}

/** ms_child_receive: takes the next message, if there is one; see ms_channel_receive(). */
MsReceipt
ms_child_receive(MsChild *self, MsMessage *message)
{
  const MsReceipt receipt = ms_channel_receive(self->channel, message);

  if (receipt == MS_RECEIPT_MESSAGE)
    self->written = 0;
  return receipt;
}

/** ms_child_get_stderr: the pipe to poll for ms_child_read_stderr(); -1 for none. */
int
ms_child_get_stderr(MsChild *self)
{
  return self->messages;
}

static void
write_on(const char *data, gsize size)
{
  while (size > 0) {
    gssize n = write(STDERR_FILENO, data, size);
    if (n <= 0)
      return;
    data += n;
    size -= (gsize)n;
  }
}

/** ms_child_read_stderr: reads what the child has written; blocks until there is something. %FALSE if it floods. */
gboolean
ms_child_read_stderr(MsChild *self)
{
  char buffer[MOST_KEPT];
  gssize n = read(self->messages, buffer, sizeof buffer);

  if (n <= 0) {
    close(self->messages);
    self->messages = -1;
    return TRUE;
  }
  if (self->passes)
    write_on(buffer, (gsize)n);
  self->written += (gsize)n;
  g_string_append_len(self->said, buffer, n);
  if (self->said->len > MOST_KEPT)
    g_string_erase(self->said, 0, (gssize)(self->said->len - MOST_KEPT));
  return self->written < MOST_FLOOD;
}

/** ms_child_pass_stderr: writes what was kept, and from now on everything, to standard error. */
void
ms_child_pass_stderr(MsChild *self)
{
  if (!self->passes)
    write_on(self->said->str, self->said->len);
  self->passes = TRUE;
}

/** ms_child_signal: sends a signal unless the child has ended. */
void
ms_child_signal(MsChild *self, int number)
{
  if (!self->has_ended)
    kill(self->pid, number);
}

/**
 * ms_child_find_long_wait: to be called every second or so.
 *
 * Returns: what it has waited for in its driver for longer than %MS_CHILD_LONG_WAIT_S, once for each wait
 */
MsWait
ms_child_find_long_wait(MsChild *self)
{
  const gint64 now = g_get_monotonic_time();
  guint number = 0;
  const MsWait what = self->wait ? ms_wait_read(self->wait, &number) : MS_WAIT_NONE;

  if (number != self->last_wait) {
    self->last_wait = number;
    self->waits_us = now;
    self->has_told = FALSE;
  }
  if (what == MS_WAIT_NONE || self->has_told || now - self->waits_us < MS_CHILD_LONG_WAIT_S * G_USEC_PER_SEC)
    return MS_WAIT_NONE;
  self->has_told = TRUE;
  return what;
}

/* Kills the child unless it exits in time; whether it had to. */
static gboolean
kill_unless_exits(MsChild *self, double patience_s)
{
  const gint64 deadline = g_get_monotonic_time() + (gint64)(patience_s * G_USEC_PER_SEC);

  while (!self->has_ended && waitpid(self->pid, &self->status, WNOHANG) == 0) {
    if (g_get_monotonic_time() >= deadline)
      return kill(self->pid, SIGKILL) == 0;
    g_usleep(1000);
  }
  return FALSE;
}

static void
note_end(MsChild *self)
{
  self->has_ended = TRUE;
  /* A process that the driver started may still hold the other end, so the end of the file is not waited for. */
  for (struct pollfd fd = {.fd = self->messages, .events = POLLIN}; self->messages >= 0 && poll(&fd, 1, 0) > 0;)
    if (!ms_child_read_stderr(self))
      break;
  close_if_open(self->messages);
  self->messages = -1;
}

/**
 * ms_child_end:
 * @patience_s: how long it may take to exit by itself before it is killed
 *
 * Ends the child and waits for it. Its last words on standard error are read. Does nothing the second time.
 */
void
ms_child_end(MsChild *self, double patience_s)
{
  if (kill_unless_exits(self, patience_s))
    waitpid(self->pid, &self->status, 0);
  note_end(self);
}

/**
 * ms_child_leave:
 * @patience_s: how long it may take to exit by itself before it is killed
 *
 * Like ms_child_end(), for a child that has finished when this process is about to end, too: once it is killed, it is
 * not waited for. NVIDIA's driver takes a tenth of a second to close the device of a process that is killed or exits,
 * which the caller of this program would wait for as well. The system takes over such a child, whose processor time
 * then does not count as that of this process.
 */
void
ms_child_leave(MsChild *self, double patience_s)
{
  kill_unless_exits(self, patience_s);
  note_end(self);
}

/** ms_child_free: kills the child if it still runs. */
void
ms_child_free(MsChild *self)
{
  if (!self)
    return;
  ms_child_end(self, 0);
  ms_channel_free(self->channel);
  g_string_free(self->said, TRUE);
  if (self->wait)
    munmap(self->wait, sizeof(gint));
  g_free(self);
}

/** ms_child_get_status: of waitpid(), after ms_child_end(). */
int
ms_child_get_status(MsChild *self)
{
  return self->status;
}

static gboolean
tells_error(const char *line)
{
  return strstr(line, "rror:") || strstr(line, "ERROR") || strstr(line, "ssert");
}

/* (transfer full) (nullable): the first line that reports an error, since hints follow it; else the last line. */
static char *
find_last_words(const MsChild *self)
{
  g_auto(GStrv) lines = g_strsplit(self->said->str, "\n", -1);
  const char *found = NULL;

  for (guint i = 0; lines[i] && !(found && tells_error(found)); i++)
    if (*g_strstrip(lines[i]))
      found = lines[i];
  return g_strdup(found);
}

static char *
describe_status(int status)
{
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
    return g_strdup("it was killed, perhaps because the system ran out of memory");
  if (WIFSIGNALED(status))
    return g_strdup_printf("it was ended by signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
  return g_strdup_printf("it ended with status %d before its work was done",
                         WIFEXITED(status) ? WEXITSTATUS(status) : -1);
}

static char *
describe_end(const MsChild *self, MsChildEnd end, const MsChildWatch *watch)
{
  switch (end) {
  case MS_CHILD_END_SILENT:
    return g_strdup_printf("it reported nothing for %g s and was ended", watch->silence_s);
  case MS_CHILD_END_LATE:
    return g_strdup_printf("it took longer than %g s and was ended", watch->limit_s);
  case MS_CHILD_END_FLOODED:
    return g_strdup("it wrote to standard error without end and was ended");
  case MS_CHILD_END_BROKEN:
    return g_strdup("it sent something that is not a message and was ended");
  case MS_CHILD_END_TOO_LARGE:
    return g_strdup_printf("it took more than the %" G_GUINT64_FORMAT " MiB of --memory-limit and was ended",
                           watch->memory >> 20);
  case MS_CHILD_END_OVERDUE:
    return g_strdup("a part of its work took too long, and it was ended");
  case MS_CHILD_END_FINISHED:
  case MS_CHILD_END_DIED:
  case MS_CHILD_END_CANCELLED:
    break;
  }
  return describe_status(self->status);
}

/**
 * ms_child_describe_end:
 * @end: the result of ms_child_follow()
 * @watch: its limits
 *
 * Returns: (transfer full): how the child ended, as a clause of a sentence, after ms_child_end()
 */
char *
ms_child_describe_end(MsChild *self, MsChildEnd end, const MsChildWatch *watch)
{
  g_autofree char *how = describe_end(self, end, watch);
  g_autofree char *said = find_last_words(self);

  if (!said)
    return g_steal_pointer(&how);
  return g_strdup_printf("%s; the last error of the %s was '%s'", how, self->library, said);
}
