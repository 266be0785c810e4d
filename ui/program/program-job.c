/* SPDX-License-Identifier: MIT */
#include "ui/program/program-job.h"

#include <errno.h>
#include <glib-unix.h>
#include <glib/gi18n-lib.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/error.h"
#include "core/image/image-save.h"
#include "core/json.h"
#include "core/process/child.h"
#include "ui/engine/window-engine.h"

/* The time that a cancelled program gets to end by itself before it is killed. */
#define GRACE_S 2

/* A program that writes a longer line, or more than this to standard error between two lines, is killed. */
#define MOST_LINE (64 << 20)
#define MOST_FLOOD (16 << 20)

/* Bytes of standard error that are kept, enough for the last sentence. */
#define MOST_KEPT 4096

#define OWN_PREFIX "meanshift-lab: "

/* One of the program's two streams. */
typedef struct {
  int fd;       /* -1 when closed */
  guint source; /* 0 when it is not read */
} Stream;

struct _MsProgramJob {
  GObject parent_instance;
  GStrvBuilder *arguments;
  char *folder;           /* (nullable): of temporary files, which a new process reads again after a driver ended one */
  MsImage *picture;       /* (nullable): to be saved there before the program starts */
  MsWindowEngine *engine; /* (nullable): held meanwhile, since other work on the device would disturb measurements */
  GCancellable *cancellable;
  gboolean running;
  gboolean paused;
  GPid pid;   /* 0 while no process runs */
  guint kill; /* (source): the end of the time of grace */
  Stream out, err;
  GString *line; /* of standard output, not complete yet */
  GString *said; /* the last bytes of standard error */
  gsize flood;   /* bytes of standard error since the last line of standard output */
  gboolean has_ended;
  GError *error; /* (nullable): what the program or this job named as the error */
};

G_DEFINE_FINAL_TYPE(MsProgramJob, ms_program_job, G_TYPE_OBJECT)

#define PICTURE_NAME "picture.png"

static guint event_signal, ended_signal;

/* Removes the temporary files. */
static void
remove_folder(MsProgramJob *self)
{
  GDir *dir = self->folder ? g_dir_open(self->folder, 0, NULL) : NULL;

  for (const char *name; dir && (name = g_dir_read_name(dir));) {
    g_autofree char *path = g_build_filename(self->folder, name, NULL);
    g_unlink(path);
  }
  g_clear_pointer(&dir, g_dir_close);
  if (self->folder)
    g_rmdir(self->folder);
  g_clear_pointer(&self->folder, g_free);
}

static void
ms_program_job_finalize(GObject *object)
{
  MsProgramJob *self = MS_PROGRAM_JOB(object);

  remove_folder(self);
  g_strv_builder_unref(self->arguments);
  g_clear_object(&self->picture);
  g_clear_object(&self->engine);
  g_clear_object(&self->cancellable);
  g_string_free(self->line, TRUE);
  g_string_free(self->said, TRUE);
  g_clear_error(&self->error);
  G_OBJECT_CLASS(ms_program_job_parent_class)->finalize(object);
}

static void
ms_program_job_class_init(MsProgramJobClass *klass)
{
  G_OBJECT_CLASS(klass)->finalize = ms_program_job_finalize;
  event_signal =
    g_signal_new("event", MS_TYPE_PROGRAM_JOB, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 2,
                 G_TYPE_STRING | G_SIGNAL_TYPE_STATIC_SCOPE, JSON_TYPE_OBJECT | G_SIGNAL_TYPE_STATIC_SCOPE);
  ended_signal =
    g_signal_new("ended", MS_TYPE_PROGRAM_JOB, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_ERROR);
}

/* Signals to the whole group of the program and its children. */
static void
signal_group(MsProgramJob *self, int number)
{
  if (self->pid > 0)
    kill(-self->pid, number);
}

static gboolean
on_grace_over(gpointer data)
{
  MsProgramJob *self = data;

  self->kill = 0;
  signal_group(self, SIGKILL);
  return G_SOURCE_REMOVE;
}

/* The program alone gets the signal, and tells its children. */
static void
on_cancelled(MsProgramJob *self)
{
  if (self->pid <= 0 || self->kill > 0)
    return;
  ms_program_job_set_paused(self, FALSE);
  kill(self->pid, SIGINT);
  self->kill = g_timeout_add_seconds(GRACE_S, on_grace_over, self);
}

static void
ms_program_job_init(MsProgramJob *self)
{
  self->arguments = g_strv_builder_new();
  self->cancellable = g_cancellable_new();
  self->line = g_string_new(NULL);
  self->said = g_string_new(NULL);
  self->out.fd = self->err.fd = -1;
  g_signal_connect_object(self->cancellable, "cancelled", G_CALLBACK(on_cancelled), self, G_CONNECT_SWAPPED);
}

/** ms_program_job_new: (transfer full): a job without arguments. */
MsProgramJob *
ms_program_job_new(void)
{
  MsProgramJob *self = g_object_new(MS_TYPE_PROGRAM_JOB, NULL);
  g_autofree char *program = ms_child_find_program();

  g_strv_builder_add_many(self->arguments, program, "--headless", "--progress=json", NULL);
  return self;
}

/** ms_program_job_add: adds one argument. */
void
ms_program_job_add(MsProgramJob *self, const char *format, ...)
{
  va_list args;

  va_start(args, format);
  g_autofree char *argument = g_strdup_vprintf(format, args);
  va_end(args);
  g_strv_builder_add(self->arguments, argument);
}

/** ms_program_job_add_words: adds arguments. */
void
ms_program_job_add_words(MsProgramJob *self, const char *const *words)
{
  g_strv_builder_addv(self->arguments, (const char **)words);
}

/** ms_program_job_make_folder: (transfer full): a new private folder for temporary files. */
char *
ms_program_job_make_folder(GError **error)
{
  g_autofree char *folder = g_build_filename(g_get_user_runtime_dir(), "meanshift-lab-XXXXXX", NULL);

  g_mkdir_with_parents(g_get_user_runtime_dir(), 0700);
  if (g_mkdtemp(folder))
    return g_steal_pointer(&folder);
  ms_set_error(error, MS_ERROR_IO, "A folder for temporary files cannot be made in '%s': %s.", g_get_user_runtime_dir(),
               g_strerror(errno));
  return NULL;
}

/* (transfer full) (nullable): the path of a temporary file; without a folder the job fails when it is started. */
static char *
make_path(MsProgramJob *self, const char *name)
{
  if (!self->folder && !self->error)
    self->folder = ms_program_job_make_folder(&self->error);
  return self->folder ? g_build_filename(self->folder, name, NULL) : NULL;
}

/** ms_program_job_add_text: adds "--option=FILE", where FILE is a temporary file with @text. */
void
ms_program_job_add_text(MsProgramJob *self, const char *option, const char *name, const char *text)
{
  g_autofree char *path = make_path(self, name);

  if (path && g_file_set_contents(path, text, -1, &self->error))
    ms_program_job_add(self, "--%s=%s", option, path);
}

/**
 * ms_program_job_add_picture: adds the name of @file (nullable) or, where it has none, of a temporary file with @image,
 * which is taken however large it is.
 */
void
ms_program_job_add_picture(MsProgramJob *self, GFile *file, MsImage *image)
{
  g_autofree char *own = file ? g_file_get_path(file) : NULL;
  g_autofree char *path = own ? NULL : make_path(self, PICTURE_NAME);

  if (path)
    g_set_object(&self->picture, image);
  ms_program_job_add(self, "--max-pixels=%" G_GINT64_FORMAT,
                     (gint64)ms_image_get_width(image) * ms_image_get_height(image));
  if (own || path)
    g_strv_builder_add(self->arguments, own ? own : path);
}

/* What the program has said */

static void
fail(MsProgramJob *self, const char *sentence)
{
  if (!self->error)
    ms_set_error_literal(&self->error, MS_ERROR_DEVICE, sentence);
}

static void
take_event(MsProgramJob *self, const char *name, JsonObject *event)
{
  const char *shown = ms_json_get_text(event, "shown");

  self->flood = 0;
  if (g_str_equal(name, "ended"))
    self->has_ended = TRUE;
  if (g_str_equal(name, "error"))
    fail(self, shown ? shown : "");
  g_signal_emit(self, event_signal, 0, name, event);
}

static void
take_line(MsProgramJob *self)
{
  g_autoptr(JsonNode) root = ms_json_parse(self->line->str, (gssize)self->line->len, NULL);
  JsonObject *event = root && JSON_NODE_HOLDS_OBJECT(root) ? json_node_get_object(root) : NULL;
  const char *name = event ? ms_json_get_text(event, "event") : NULL;

  g_string_truncate(self->line, 0);
  if (name) {
    take_event(self, name, event);
    return;
  }
  fail(self, _("The program that was started wrote something that is no event, and was ended."));
  signal_group(self, SIGKILL);
}

static void
take_output(MsProgramJob *self, const char *bytes, gsize n)
{
  for (const char *end; (end = memchr(bytes, '\n', n)); n -= (gsize)(end + 1 - bytes), bytes = end + 1) {
    g_string_append_len(self->line, bytes, end - bytes);
    take_line(self);
  }
  g_string_append_len(self->line, bytes, (gssize)n);
  if (self->line->len < MOST_LINE)
    return;
  fail(self, _("The program that was started wrote a line without end, and was ended."));
  signal_group(self, SIGKILL);
}

static void
take_words(MsProgramJob *self, const char *bytes, gsize n)
{
  self->flood += n;
  g_string_append_len(self->said, bytes, (gssize)n);
  if (self->said->len > MOST_KEPT)
    g_string_erase(self->said, 0, (gssize)(self->said->len - MOST_KEPT));
  if (self->flood < MOST_FLOOD)
    return;
  fail(self, _("The program that was started wrote to standard error without end, and was ended."));
  signal_group(self, SIGKILL);
}

/* Reads what is there, at most one buffer; %FALSE at the end. */
static gboolean
read_stream(MsProgramJob *self, Stream *stream, gboolean *more)
{
  char buffer[1 << 16];
  const gssize n = read(stream->fd, buffer, sizeof buffer);

  *more = n > 0;
  if (n > 0 && stream == &self->out)
    take_output(self, buffer, (gsize)n);
  else if (n > 0)
    take_words(self, buffer, (gsize)n);
  return n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR));
}

static gboolean
on_readable(int fd, GIOCondition condition, gpointer data)
{
  MsProgramJob *self = data;
  Stream *stream = fd == self->out.fd ? &self->out : &self->err;
  gboolean more;

  if (read_stream(self, stream, &more))
    return G_SOURCE_CONTINUE;
  stream->source = 0;
  return G_SOURCE_REMOVE;
}

/* Events come after drawing, so that a program that writes much does not keep the window from it. */
static void
open_stream(MsProgramJob *self, Stream *stream, int fd)
{
  g_unix_set_fd_nonblocking(fd, TRUE, NULL);
  stream->fd = fd;
  stream->source = g_unix_fd_add_full(G_PRIORITY_DEFAULT_IDLE, fd, G_IO_IN | G_IO_HUP, on_readable, self, NULL);
}

/* Reads the rest; a process that the driver started may still hold the other end, so the end is not waited for. */
static void
close_stream(MsProgramJob *self, Stream *stream)
{
  gboolean more = stream->fd >= 0;

  while (more && read_stream(self, stream, &more))
    ;
  g_clear_handle_id(&stream->source, g_source_remove);
  if (stream->fd >= 0)
    close(stream->fd);
  stream->fd = -1;
}

/* The end */

/* (nullable): the last sentence that the program wrote itself; what a driver wrote does not begin with its name. */
static char *
find_last_sentence(MsProgramJob *self)
{
  g_autofree char *text = g_utf8_make_valid(self->said->str, (gssize)self->said->len);
  const char *found = g_strrstr(text, OWN_PREFIX);

  return found ? g_strstrip(g_strdup(found + strlen(OWN_PREFIX))) : NULL;
}

static void
describe_end(MsProgramJob *self, int status)
{
  g_autofree char *sentence = WIFEXITED(status) ? find_last_sentence(self) : NULL;

  if (self->error || self->has_ended)
    return;
  if (sentence)
    ms_set_error_literal(&self->error, MS_ERROR_DEVICE, sentence);
  else if (WIFSIGNALED(status))
    ms_set_error(&self->error, MS_ERROR_DEVICE,
                 "The process that did the work was ended by signal %d (%s). The results so far are kept; start it "
                 "again, or choose another device.",
                 WTERMSIG(status), strsignal(WTERMSIG(status)));
  else
    ms_set_error(&self->error, MS_ERROR_DEVICE,
                 "The process that did the work ended with status %d before its end. The results so far are kept; "
                 "start it again, or choose another device.",
                 WEXITSTATUS(status));
}

/* Tells the followers that the job is over. */
static void
finish(MsProgramJob *self)
{
  if (g_cancellable_is_cancelled(self->cancellable)) {
    g_clear_error(&self->error);
    g_cancellable_set_error_if_cancelled(self->cancellable, &self->error);
  }
  remove_folder(self);
  self->running = FALSE;
  g_signal_emit(self, ended_signal, 0, self->error);
  g_object_unref(self);
}

static void
release_and_finish(MsProgramJob *self)
{
  if (self->engine)
    ms_window_engine_release(self->engine, self->cancellable);
  finish(self);
}

static void
on_exited(GPid pid, int status, gpointer data)
{
  MsProgramJob *self = data;

  signal_group(self, SIGKILL);
  self->pid = 0;
  g_clear_handle_id(&self->kill, g_source_remove);
  close_stream(self, &self->out);
  close_stream(self, &self->err);
  describe_end(self, status);
  g_spawn_close_pid(pid);
  release_and_finish(self);
}

/* The program must not outlive the window, and it leads the group that its children belong to. */
static void
set_up_child(gpointer parent)
{
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != GPOINTER_TO_INT(parent))
    _exit(EXIT_FAILURE);
}

static void
spawn(MsProgramJob *self)
{
  g_auto(GStrv) arguments = g_strv_builder_end(self->arguments);
  int out, err;

  if (self->error || g_cancellable_is_cancelled(self->cancellable) ||
      !g_spawn_async_with_pipes(NULL, arguments, NULL, G_SPAWN_DO_NOT_REAP_CHILD, set_up_child,
                                GINT_TO_POINTER(getpid()), &self->pid, NULL, &out, &err, &self->error)) {
    release_and_finish(self);
    return;
  }
  open_stream(self, &self->out, out);
  open_stream(self, &self->err, err);
  g_child_watch_add(self->pid, on_exited, self);
}

static void
on_held(GObject *source, GAsyncResult *result, gpointer data)
{
  MsProgramJob *self = data;

  if (ms_window_engine_hold_finish(MS_WINDOW_ENGINE(source), result, self->error ? NULL : &self->error))
    spawn(self);
  else
    finish(self);
}

static void
hold_engine(MsProgramJob *self)
{
  if (self->engine)
    ms_window_engine_hold_async(self->engine, self->cancellable, on_held, self);
  else
    spawn(self);
}

static void
save_picture_in_thread(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  MsProgramJob *self = source;
  g_autofree char *path = g_build_filename(self->folder, PICTURE_NAME, NULL);
  GError *error = NULL;

  if (ms_image_save(self->picture, path, NULL, NULL, cancellable, &error))
    g_task_return_boolean(task, TRUE);
  else
    g_task_return_error(task, error);
}

static void
on_picture_saved(GObject *source, GAsyncResult *result, gpointer data)
{
  MsProgramJob *self = MS_PROGRAM_JOB(source);

  g_task_propagate_boolean(G_TASK(result), &self->error);
  if (self->error)
    finish(self);
  else
    hold_engine(self);
}

/**
 * ms_program_job_start: called once; the job keeps a reference to itself until it has emitted "ended".
 * @engine: (nullable): its requests end first, then wait until the job has ended
 */
void
ms_program_job_start(MsProgramJob *self, MsWindowEngine *engine)
{
  g_object_ref(self);
  self->running = TRUE;
  g_set_object(&self->engine, engine);
  if (self->picture) {
    g_autoptr(GTask) task = g_task_new(self, self->cancellable, on_picture_saved, NULL);
    g_task_run_in_thread(task, save_picture_in_thread);
  } else {
    hold_engine(self);
  }
}

/** ms_program_job_set_paused: stops the program and its children, or lets them go on. */
void
ms_program_job_set_paused(MsProgramJob *self, gboolean paused)
{
  if (self->paused != paused)
    signal_group(self, paused ? SIGSTOP : SIGCONT);
  self->paused = paused;
}

/** ms_program_job_cancel: lets the program end, and kills it if it does not do so soon; results so far are kept. */
void
ms_program_job_cancel(MsProgramJob *self)
{
  g_cancellable_cancel(self->cancellable);
}

/** ms_program_job_drop: @self: (nullable) (transfer full): cancels a job and disconnects @follower from it. */
void
ms_program_job_drop(MsProgramJob *self, gpointer follower)
{
  if (!self)
    return;
  g_signal_handlers_disconnect_by_data(self, follower);
  ms_program_job_cancel(self);
  g_object_unref(self);
}

gboolean
ms_program_job_is_running(MsProgramJob *self)
{
  return self->running;
}

gboolean
ms_program_job_is_cancelled(MsProgramJob *self)
{
  return g_cancellable_is_cancelled(self->cancellable);
}
