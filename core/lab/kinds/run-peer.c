/* SPDX-License-Identifier: MIT */
/*
 * Kind peer: OpenCV's mean-shift filters, run by an interpreter of Python where OpenCV's module is installed, on the
 * same picture and verified like every other configuration.
 */
#include <glib/gstdio.h>
#include <string.h>

#include "core/error.h"
#include "core/filter/settings/settings-factors.h"
#include "core/lab/experiment/experiment-file.h"
#include "core/lab/kinds/kind-table.h"
#include "core/lab/kinds/run-image.h"
#include "core/option/choice.h"

typedef enum {
  OPENCV,
  OPENCV_CUDA,
} Library;

static const char *const library_names[] = {"opencv", "opencv-cuda", NULL};
static const MsRule library_rules[] = {[OPENCV] = MS_RULE_OPENCV, [OPENCV_CUDA] = MS_RULE_REPLICATE};

typedef struct {
  MsSubject parent;
  MsLabBench *bench;
  MsImage *image;
  MsSettings settings;
  int library;
  char *folder; /* of the two files that the interpreter and this program exchange */
  char *input;
  char *output;
  GSubprocess *process;
  GDataInputStream *answers;
} PeerSubject;

/* (transfer full): the next line of the interpreter. */
static char *
read_answer(PeerSubject *self, GCancellable *cancellable, GError **error)
{
  char *line = g_data_input_stream_read_line(self->answers, NULL, cancellable, error);

  if (!line && error && !*error)
    g_set_error_literal(error, MS_ERROR, MS_ERROR_IO, "The interpreter of the peer ended unexpectedly.");
  return line;
}

static char *
ask(PeerSubject *self, const char *question, GCancellable *cancellable, GError **error)
{
  GOutputStream *questions = g_subprocess_get_stdin_pipe(self->process);

  if (!g_output_stream_write_all(questions, question, strlen(question), NULL, cancellable, error))
    return NULL;
  return read_answer(self, cancellable, error);
}

static gboolean
spawn(PeerSubject *self, const char *interpreter, GError **error)
{
  const MsParams *p = &self->settings.params;
  g_autofree char *script = ms_experiment_peer_script();
  g_autofree char *width = g_strdup_printf("%d", ms_image_get_width(self->image));
  g_autofree char *height = g_strdup_printf("%d", ms_image_get_height(self->image));
  g_autofree char *iterations = g_strdup_printf("%d", p->max_iterations);
  char sp[G_ASCII_DTOSTR_BUF_SIZE], sr[G_ASCII_DTOSTR_BUF_SIZE], epsilon[G_ASCII_DTOSTR_BUF_SIZE];

  g_clear_object(&self->answers);
  g_clear_object(&self->process);
  self->process =
    g_subprocess_new(G_SUBPROCESS_FLAGS_STDIN_PIPE | G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_SILENCE,
                     error, interpreter, "-c", script, library_names[self->library], width, height,
                     g_ascii_dtostr(sp, sizeof sp, p->sp), g_ascii_dtostr(sr, sizeof sr, p->sr), iterations,
                     g_ascii_dtostr(epsilon, sizeof epsilon, p->epsilon), self->input, self->output, NULL);
  if (!self->process)
    return FALSE;
  self->answers = g_data_input_stream_new(g_subprocess_get_stdout_pipe(self->process));
  return TRUE;
}

/* The interpreter of the path may be without the module that the system's has. */
static gboolean
start(PeerSubject *self, GCancellable *cancellable, GError **error)
{
  static const char *const interpreters[] = {"python3", "/usr/bin/python3"};
  g_autofree char *reason = g_strdup("there is no python3");

  for (gsize i = 0; i < G_N_ELEMENTS(interpreters); i++) {
    g_autofree char *line = NULL;
    if (!spawn(self, interpreters[i], NULL))
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
    g_set_error(error, MS_ERROR, MS_ERROR_UNSUPPORTED, "OpenCV's filter cannot be run here: %s.", reason);
  return FALSE;
}

static gboolean
peer_prepare(MsSubject *subject, GCancellable *cancellable, GError **error)
{
  PeerSubject *self = (PeerSubject *)subject;
  const char *pixels = (const char *)ms_image_get_pixels(self->image);

  self->folder = g_dir_make_tmp("meanshift-lab-peer-XXXXXX", error);
  if (!self->folder)
    return FALSE;
  self->input = g_build_filename(self->folder, "input", NULL);
  self->output = g_build_filename(self->folder, "output", NULL);
  return g_file_set_contents(self->input, pixels, (gssize)ms_image_get_byte_size(self->image), error) &&
         start(self, cancellable, error);
}

static gboolean
peer_run(MsSubject *subject, MsSample *sample, GCancellable *cancellable, GError **error)
{
  PeerSubject *self = (PeerSubject *)subject;
  g_autofree char *answer = ask(self, "run\n", cancellable, error);

  if (!answer)
    return FALSE;
  sample->ns = g_ascii_strtod(answer, NULL);
  return TRUE;
}

static gboolean
peer_verify(MsSubject *subject, MsVerification *verification, GCancellable *cancellable, GError **error)
{
  PeerSubject *self = (PeerSubject *)subject;
  g_autofree char *answer = ask(self, "save\n", cancellable, error);
  g_autofree char *pixels = NULL;
  gsize length;

  if (!answer || !g_file_get_contents(self->output, &pixels, &length, error))
    return FALSE;
  if (length != ms_image_get_byte_size(self->image)) {
    g_set_error_literal(error, MS_ERROR, MS_ERROR_IO, "The peer's result is not of the size of the picture.");
    return FALSE;
  }
  g_autoptr(MsImage) result = ms_image_new_take(ms_image_get_width(self->image), ms_image_get_height(self->image),
                                                (guint8 *)g_steal_pointer(&pixels), NULL);
  return ms_lab_image_verify(self->bench, self->image, result, &self->settings.params, &self->parent.work, verification,
                             cancellable, error);
}

static void
remove_file(char **path)
{
  if (*path)
    g_unlink(*path);
  g_clear_pointer(path, g_free);
}

static void
peer_release(MsSubject *subject)
{
  PeerSubject *self = (PeerSubject *)subject;

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

static void
peer_finalize(MsSubject *subject)
{
  PeerSubject *self = (PeerSubject *)subject;

  peer_release(subject);
  g_clear_object(&self->image);
  g_free(self);
}

static const MsSubjectFuncs peer_funcs = {peer_prepare, peer_run, peer_verify, peer_release, peer_finalize};

static gboolean
peer_knows(const char *key)
{
  return ms_option_find(key) || strcmp(key, "size") == 0 || strcmp(key, "library") == 0;
}

/* That of the filter, with whose rows a peer is compared. */
static char *
peer_group(const MsFactors *factors)
{
  return ms_lab_kind_mean_shift.group(factors);
}

static gboolean
parse_library(PeerSubject *self, const MsFactors *factors, GError **error)
{
  const char *name = ms_factors_get_or(factors, "library", library_names[OPENCV]);

  self->library = ms_choice_parse(library_names, "library", name, error);
  if (self->library < 0)
    return FALSE;
  if (self->settings.params.rule == library_rules[self->library])
    return TRUE;
  g_set_error(error, MS_ERROR, MS_ERROR_UNSUPPORTED, "The peer %s follows another rule.", name);
  return FALSE;
}

static MsSubject *
peer_create(MsLabBench *bench, const MsFactors *factors, const char *label, GError **error)
{
  PeerSubject *self = g_new0(PeerSubject, 1);

  ms_subject_init(&self->parent, &peer_funcs, label);
  self->bench = bench;
  self->image = ms_lab_image_open(bench, factors, &self->parent.work, error);
  if (!self->image || !ms_settings_from_factors(factors, &self->settings, error) ||
      !parse_library(self, factors, error)) {
    ms_subject_free(&self->parent);
    return NULL;
  }
  return &self->parent;
}

const MsLabKind ms_lab_kind_peer = {"peer", peer_knows, peer_group, peer_create, NULL, NULL};
