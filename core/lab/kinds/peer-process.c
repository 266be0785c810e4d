/* SPDX-License-Identifier: MIT */
#include "core/lab/kinds/peer-process.h"

#include <glib/gstdio.h>
#include <string.h>

#include "core/error.h"
#include "core/lab/experiment/experiment-file.h"

/* (transfer full): the next line of the interpreter. */
static char *
read_answer(MsPeerProcess *self, GCancellable *cancellable, GError **error)
{
  char *line = g_data_input_stream_read_line(self->answers, NULL, cancellable, error);

  if (!line && error && !*error)
    ms_set_error_literal(error, MS_ERROR_IO, "The interpreter of the peer ended unexpectedly.");
  return line;
}

static char *
ask(MsPeerProcess *self, const char *question, GCancellable *cancellable, GError **error)
{
  GOutputStream *questions = g_subprocess_get_stdin_pipe(self->process);

  if (!g_output_stream_write_all(questions, question, strlen(question), NULL, cancellable, error))
    return NULL;
  return read_answer(self, cancellable, error);
}

static GSubprocessLauncher *
make_launcher(const MsPeerTask *task)
{
  GSubprocessLauncher *launcher = g_subprocess_launcher_new(
    G_SUBPROCESS_FLAGS_STDIN_PIPE | G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_SILENCE);

  if (task->opencl_device)
    g_subprocess_launcher_setenv(launcher, "OPENCV_OPENCL_DEVICE", task->opencl_device, TRUE);
  return launcher;
}

static gboolean
spawn(MsPeerProcess *self, const MsPeerTask *task, const char *interpreter)
{
  g_autoptr(GPtrArray) arguments = g_ptr_array_new();
  g_autoptr(GSubprocessLauncher) launcher = make_launcher(task);
  g_autofree char *script = ms_experiment_peer_script();

  g_ptr_array_add(arguments, (gpointer)interpreter);
  g_ptr_array_add(arguments, (gpointer) "-c");
  g_ptr_array_add(arguments, script);
  for (guint i = 0; task->arguments[i]; i++)
    g_ptr_array_add(arguments, (gpointer)task->arguments[i]);
  g_ptr_array_add(arguments, self->input);
  g_ptr_array_add(arguments, self->output);
  g_ptr_array_add(arguments, NULL);
  g_clear_object(&self->answers);
  g_clear_object(&self->process);
  self->process = g_subprocess_launcher_spawnv(launcher, (const char *const *)arguments->pdata, NULL);
  if (!self->process)
    return FALSE;
  self->answers = g_data_input_stream_new(g_subprocess_get_stdout_pipe(self->process));
  return TRUE;
}

/* Tries the system's interpreter as well, since the first python3 in PATH may lack OpenCV's module. */
static gboolean
find_interpreter(MsPeerProcess *self, const MsPeerTask *task, GCancellable *cancellable, GError **error)
{
  static const char *const interpreters[] = {"python3", "/usr/bin/python3"};
  g_autofree char *reason = g_strdup("there is no python3");

  for (gsize i = 0; i < G_N_ELEMENTS(interpreters); i++) {
    g_autofree char *line = NULL;
    if (!spawn(self, task, interpreters[i]))
      continue;
    line = read_answer(self, cancellable, NULL);
    if (g_strcmp0(line, "ready") == 0)
      return TRUE;
    if (line && g_str_has_prefix(line, "absent ")) {
      g_free(reason);
      reason = g_strdup(line + strlen("absent "));
    }
  }
  if (!g_cancellable_set_error_if_cancelled(cancellable, error))
    ms_set_error(error, MS_ERROR_UNSUPPORTED, "%s cannot be run here: %s.", task->what, reason);
  return FALSE;
}

/**
 * ms_peer_process_start: writes the input and starts an interpreter that has OpenCV.
 *
 * Returns: %FALSE with #MS_ERROR_UNSUPPORTED and the reason where none has what the task needs
 */
gboolean
ms_peer_process_start(MsPeerProcess *self, const MsPeerTask *task, GCancellable *cancellable, GError **error)
{
  self->folder = g_dir_make_tmp("meanshift-lab-peer-XXXXXX", error);
  if (!self->folder)
    return FALSE;
  self->input = g_build_filename(self->folder, "input", NULL);
  self->output = g_build_filename(self->folder, "output", NULL);
  return g_file_set_contents(self->input, task->data, (gssize)task->bytes, error) &&
         find_interpreter(self, task, cancellable, error);
}

/** ms_peer_process_run: runs the function once. @ns: (out): its time in nanoseconds, as the interpreter measured it. */
gboolean
ms_peer_process_run(MsPeerProcess *self, double *ns, GCancellable *cancellable, GError **error)
{
  g_autofree char *answer = ask(self, "run\n", cancellable, error);

  if (!answer)
    return FALSE;
  *ns = g_ascii_strtod(answer, NULL);
  return TRUE;
}

/** ms_peer_process_save: (transfer full): the @bytes bytes of the last run's result, or %NULL. */
char *
ms_peer_process_save(MsPeerProcess *self, gsize bytes, GCancellable *cancellable, GError **error)
{
  g_autofree char *answer = ask(self, "save\n", cancellable, error);
  g_autofree char *result = NULL;
  gsize length;

  if (!answer || !g_file_get_contents(self->output, &result, &length, error))
    return NULL;
  if (length == bytes)
    return g_steal_pointer(&result);
  ms_set_error(error, MS_ERROR_IO, "The peer's result has %zu bytes instead of %zu.", length, bytes);
  return NULL;
}

static void
remove_file(char **path)
{
  if (*path)
    g_unlink(*path);
  g_clear_pointer(path, g_free);
}

/** ms_peer_process_clear: ends the interpreter and removes the files; the struct can be used again. */
void
ms_peer_process_clear(MsPeerProcess *self)
{
  if (self->process)
    g_subprocess_force_exit(self->process);
  g_clear_object(&self->answers);
  g_clear_object(&self->process);
  remove_file(&self->input);
  remove_file(&self->output);
  if (self->folder)
    g_rmdir(self->folder);
  g_clear_pointer(&self->folder, g_free);
}
