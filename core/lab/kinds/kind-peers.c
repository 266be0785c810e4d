/* SPDX-License-Identifier: MIT */
/*
 * The kinds peer and reduce-peer: OpenCV's mean-shift filters and reductions, run by an interpreter of Python where
 * OpenCV's module is installed, on the same picture or elements as ours and verified like every other configuration.
 * The interpreter reads the input from a file, answers "run" with the time of a run in nanoseconds and "save" once the
 * last result is in another file.
 */
#include <glib/gi18n-lib.h>
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "core/error.h"
#include "core/lab/experiment/experiment-file.h"
#include "core/lab/kinds/kind.h"
#include "core/reduce/reduce-options.h"
#include "core/reduce/operators.h"

/* OpenCV also adds integers in double; its OpenCL code adds floats in float. */
#define TOLERANCE 1e-6

/* Both kinds; @spec is of reduce-peer. */
typedef struct {
  MsConfiguration base;
  const char *library;
  MsReduceSpec spec;
  char *folder;
  char *input;
  char *output;
  GSubprocess *process;
  GDataInputStream *answers;
} Peer;

/*
 * What the interpreter is to run. @what: the function, for messages; @arguments: of data/experiments/peer.py, without
 * the two files; @data: the input; @opencl_device: (nullable): for OpenCV's OpenCL functions
 */
typedef struct {
  const char *what;
  const char *const *arguments;
  const void *data;
  gsize bytes;
  const char *opencl_device;
} Task;

/* (transfer full): the next line of the interpreter. */
static char *
read_answer(Peer *self, GCancellable *cancellable, GError **error)
{
  char *line = g_data_input_stream_read_line(self->answers, NULL, cancellable, error);

  if (!line && error && !*error)
    ms_set_error_literal(error, MS_ERROR_IO, "The interpreter of the peer ended unexpectedly.");
  return line;
}

static char *
ask(Peer *self, const char *question, GCancellable *cancellable, GError **error)
{
  GOutputStream *questions = g_subprocess_get_stdin_pipe(self->process);

  if (!g_output_stream_write_all(questions, question, strlen(question), NULL, cancellable, error))
    return NULL;
  return read_answer(self, cancellable, error);
}

static gboolean
spawn(Peer *self, const Task *task, const char *interpreter)
{
  g_autoptr(GSubprocessLauncher) launcher = g_subprocess_launcher_new(
    G_SUBPROCESS_FLAGS_STDIN_PIPE | G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_SILENCE);
  g_autofree char *script = ms_experiment_peer_script();
  g_autoptr(GStrvBuilder) arguments = g_strv_builder_new();

  if (task->opencl_device)
    g_subprocess_launcher_setenv(launcher, "OPENCV_OPENCL_DEVICE", task->opencl_device, TRUE);
  g_strv_builder_add_many(arguments, interpreter, "-c", script, NULL);
  g_strv_builder_addv(arguments, (const char **)task->arguments);
  g_strv_builder_add_many(arguments, self->input, self->output, NULL);
  g_auto(GStrv) list = g_strv_builder_end(arguments);
  g_clear_object(&self->answers);
  g_clear_object(&self->process);
  self->process = g_subprocess_launcher_spawnv(launcher, (const char *const *)list, NULL);
  if (self->process)
    self->answers = g_data_input_stream_new(g_subprocess_get_stdout_pipe(self->process));
  return self->process != NULL;
}

/* Tries the system's interpreter as well, since the first python3 in PATH may lack OpenCV's module. */
static gboolean
find_interpreter(Peer *self, const Task *task, GCancellable *cancellable, GError **error)
{
  static const char *const interpreters[] = {"python3", "/usr/bin/python3"};
  g_autofree char *reason = g_strdup("there is no python3");

  for (gsize i = 0; i < G_N_ELEMENTS(interpreters); i++) {
    if (!spawn(self, task, interpreters[i]))
      continue;
    g_autofree char *line = read_answer(self, cancellable, NULL);
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

/* Writes the input and starts an interpreter; #MS_ERROR_UNSUPPORTED where none has what the task needs. */
static gboolean
start_peer(Peer *self, const Task *task, GCancellable *cancellable, GError **error)
{
  self->folder = g_dir_make_tmp("meanshift-lab-peer-XXXXXX", error);
  if (!self->folder)
    return FALSE;
  self->input = g_build_filename(self->folder, "input", NULL);
  self->output = g_build_filename(self->folder, "output", NULL);
  return g_file_set_contents(self->input, task->data, (gssize)task->bytes, error) &&
         find_interpreter(self, task, cancellable, error);
}

/* (transfer full) (nullable): the @bytes bytes of the last run's result. */
static gpointer
save(Peer *self, gsize bytes, GCancellable *cancellable, GError **error)
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

static gboolean
peer_run(MsConfiguration *base, MsSample *sample, GCancellable *cancellable, GError **error)
{
  g_autofree char *answer = ask((Peer *)base, "run\n", cancellable, error);

  if (answer)
    sample->ns = g_ascii_strtod(answer, NULL);
  return answer != NULL;
}

static void
remove_file(char **path)
{
  if (*path)
    g_unlink(*path);
  g_clear_pointer(path, g_free);
}

static void
peer_release(MsConfiguration *base)
{
  Peer *self = (Peer *)base;

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

static gboolean
filter_set_up(MsConfiguration *base, GError **error)
{
  static const char *const libraries[] = {"opencv", "opencv-cuda", NULL};
  static const MsRule rules[] = {MS_RULE_OPENCV, MS_RULE_REPLICATE};
  const int library = ms_configuration_choose(base, "library", libraries, error);

  if (library < 0)
    return FALSE;
  ((Peer *)base)->library = libraries[library];
  if (base->settings.params.rule != rules[library]) {
    ms_set_error(error, MS_ERROR_UNSUPPORTED, "The peer %s follows another rule.", libraries[library]);
    return FALSE;
  }
  if (base->settings.params.space != MS_SPACE_RGB) {
    ms_set_error(error, MS_ERROR_UNSUPPORTED, "The peer %s filters in RGB only.", libraries[library]);
    return FALSE;
  }
  return TRUE;
}

static gboolean
filter_prepare(MsConfiguration *base, GCancellable *cancellable, GError **error)
{
  const MsParams *p = &base->settings.params;
  g_autofree char *width = g_strdup_printf("%d", ms_image_get_width(base->image));
  g_autofree char *height = g_strdup_printf("%d", ms_image_get_height(base->image));
  g_autofree char *iterations = g_strdup_printf("%d", p->max_iterations);
  g_autofree char *levels = g_strdup_printf("%d", p->levels);
  char sp[G_ASCII_DTOSTR_BUF_SIZE], sr[G_ASCII_DTOSTR_BUF_SIZE], epsilon[G_ASCII_DTOSTR_BUF_SIZE];
  const char *const arguments[] = {"filter",
                                   ((Peer *)base)->library,
                                   width,
                                   height,
                                   g_ascii_dtostr(sp, sizeof sp, p->sp),
                                   g_ascii_dtostr(sr, sizeof sr, p->sr),
                                   iterations,
                                   g_ascii_dtostr(epsilon, sizeof epsilon, p->epsilon),
                                   levels,
                                   NULL};
  const Task task = {.what = "OpenCV's filter",
                     .arguments = arguments,
                     .data = ms_image_get_pixels(base->image),
                     .bytes = ms_image_get_byte_size(base->image)};

  return start_peer((Peer *)base, &task, cancellable, error);
}

static gboolean
filter_check(MsConfiguration *base, MsVerification *verification, GCancellable *cancellable, GError **error)
{
  guint8 *pixels = save((Peer *)base, ms_image_get_byte_size(base->image), cancellable, error);

  if (!pixels)
    return FALSE;
  g_autoptr(MsImage) result =
    ms_image_new_take(ms_image_get_width(base->image), ms_image_get_height(base->image), pixels, NULL);
  return ms_configuration_check_image(base, result, verification, cancellable, error);
}

static gboolean
reduce_set_up(MsConfiguration *base, GError **error)
{
  static const char *const libraries[] = {"opencv", "opencv-opencl", "opencv-cuda", NULL};
  Peer *self = (Peer *)base;
  MsReduceOptions ignored;

  if (!ms_reduce_from_factors(base->factors, &self->spec, &ignored, &base->n, error))
    return FALSE;
  const int library = ms_configuration_choose(base, "library", libraries, error);
  if (library < 0)
    return FALSE;
  self->library = libraries[library];
  base->type = self->spec.type;
  base->work.elements = (double)base->n;
  base->work.bytes = (double)base->n * ms_element_type_size(base->type);
  if (base->type != MS_ELEMENT_UINT)
    return TRUE;
  ms_set_error_literal(error, MS_ERROR_UNSUPPORTED, "OpenCV has no unsigned elements of 32 bits.");
  return FALSE;
}

/* The device of the experiment in the form PLATFORM:TYPE:NAME that OpenCV reads. */
static char *
name_device(MsContext *context)
{
  MsDevice *device = context->device;
  MsDeviceType type = device->limits.type;

  return g_strdup_printf("%s:%s:%s", device->platform,
                         type == MS_DEVICE_TYPE_CPU   ? "CPU"
                         : type == MS_DEVICE_TYPE_GPU ? "GPU"
                                                      : "ACCELERATOR",
                         device->name);
}

static gboolean
reduce_prepare(MsConfiguration *base, GCancellable *cancellable, GError **error)
{
  Peer *self = (Peer *)base;
  const char *const arguments[] = {"reduce", self->library, ms_reduce_operator(self->spec.op)->name,
                                   ms_element_type_name(base->type), NULL};
  g_autofree char *device = name_device(base->context);
  const Task task = {.what = "OpenCV's reduction",
                     .arguments = arguments,
                     .data = base->data,
                     .bytes = (gsize)base->n * ms_element_type_size(base->type),
                     .opencl_device = device};

  return start_peer(self, &task, cancellable, error);
}

static gboolean
reduce_check(MsConfiguration *base, MsVerification *verification, GCancellable *cancellable, GError **error)
{
  Peer *self = (Peer *)base;
  const MsReduceOperator *op = ms_reduce_operator(self->spec.op);
  double tolerance = ms_reduce_operator_is_extreme(op) || op->whole ? 0 : TOLERANCE, expected[MS_REDUCE_MAX_NUMBERS];
  MsReduceResult reference;

  if (!ms_reduce_define(&self->spec, base->data, base->n, &reference, error))
    return FALSE;
  verification->total = ms_reduce_result_numbers(&reference, expected);
  g_autofree double *numbers = save(self, verification->total * sizeof *expected, cancellable, error);
  for (guint i = 0; numbers && i < verification->total; i++) {
    double difference = fabs(numbers[i] - expected[i]);
    verification->mismatches += !(difference <= tolerance * fabs(expected[i]));
    verification->max_difference = fmax(verification->max_difference, difference);
  }
  verification->against = g_strdup(N_("the serial result"));
  return numbers != NULL;
}

/* Each has the group and the settings of the kind with whose rows it is compared, and ignores what does not apply. */
const MsLabKind ms_lab_peer_kinds[] = {
  {
    .name = "peer",
    .size = sizeof(Peer),
    .keys = (const MsLabKey[]){{"size", MS_LAB_DEFAULT_SIZE}, {"library", "opencv"}, {"clock", "wall"}, {NULL}},
    .find_option = ms_option_find,
    .group = MS_LAB_FILTER_GROUP,
    .pictures = TRUE,
    .set_up = filter_set_up,
    .prepare = filter_prepare,
    .run = peer_run,
    .check = filter_check,
    .release = peer_release,
  },
  {
    .name = "reduce-peer",
    .size = sizeof(Peer),
    .keys = (const MsLabKey[]){MS_LAB_REDUCE_KEYS, {"library", "opencv"}, {NULL}},
    .find_option = ms_reduce_option_find,
    .group = MS_LAB_REDUCE_GROUP,
    .set_up = reduce_set_up,
    .prepare = reduce_prepare,
    .run = peer_run,
    .check = reduce_check,
    .release = peer_release,
  },
  {NULL},
};
