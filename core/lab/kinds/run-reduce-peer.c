/* SPDX-License-Identifier: MIT */
/*
 * Kind reduce-peer: OpenCV's functions that reduce an array, run by an interpreter of Python where OpenCV's module is
 * installed, on the same elements as kind reduce and verified like every other configuration.
 */
#include <math.h>
#include <string.h>

#include "core/error.h"

#include <glib/gi18n-lib.h>

#include "core/lab/kinds/bench-arrays.h"
#include "core/lab/kinds/kind-table.h"
#include "core/lab/kinds/peer-process.h"
#include "core/option/choice.h"
#include "core/reduce/reduce-factors.h"
#include "core/reduce/reduce-result.h"
#include "core/reduce/serial.h"

/* OpenCV also adds integers in double; its OpenCL code adds floats in float. */
#define TOLERANCE 1e-6
#define MAX_NUMBERS 4

static const char *const library_names[] = {"opencv", "opencv-opencl", "opencv-cuda", NULL};

typedef struct {
  MsSubject parent;
  MsLabBench *bench;
  MsReduceSpec spec;
  guint64 n;
  int library;
  const void *data;
  MsPeerProcess process;
} PeerSubject;

/* The device of the experiment in the form PLATFORM:TYPE:NAME that OpenCV reads. */
static char *
name_device(MsLabBench *bench)
{
  MsDevice *device = ms_context_get_device(ms_lab_bench_context(bench));
  MsDeviceType type = ms_device_get_limits(device)->type;

  return g_strdup_printf("%s:%s:%s", ms_device_get_platform(device),
                         type == MS_DEVICE_TYPE_CPU   ? "CPU"
                         : type == MS_DEVICE_TYPE_GPU ? "GPU"
                                                      : "ACCELERATOR",
                         ms_device_get_name(device));
}

static gboolean
peer_prepare(MsSubject *subject, GCancellable *cancellable, GError **error)
{
  PeerSubject *self = (PeerSubject *)subject;
  const char *name = ms_reduce_operator(self->spec.op)->name;
  const char *const arguments[] = {"reduce", library_names[self->library], name, ms_element_type_name(self->spec.type),
                                   NULL};
  g_autofree char *device = name_device(self->bench);
  MsPeerTask task = {.what = "OpenCV's reduction",
                     .arguments = arguments,
                     .bytes = (gsize)self->n * ms_element_type_size(self->spec.type),
                     .opencl_device = device};

  task.data = self->data = ms_lab_bench_array(self->bench, self->spec.type, self->n, NULL, error);
  return task.data && ms_peer_process_start(&self->process, &task, cancellable, error);
}

static gboolean
peer_run(MsSubject *subject, MsSample *sample, GCancellable *cancellable, GError **error)
{
  return ms_peer_process_run(&((PeerSubject *)subject)->process, &sample->ns, cancellable, error);
}

/* The numbers of a result, in the order in which the peer saves them. */
static guint
list_numbers(const MsReduceResult *result, double *numbers)
{
  const MsReduceOperator *op = ms_reduce_operator(result->op);

  if (!op->low || !op->high) {
    numbers[0] = ms_reduce_result_number(result);
    return 1;
  }
  numbers[0] = result->min;
  numbers[1] = result->max;
  numbers[2] = (double)result->min_at;
  numbers[3] = (double)result->max_at;
  return op->positions ? 4 : 2;
}

static gboolean
peer_verify(MsSubject *subject, MsVerification *verification, GCancellable *cancellable, GError **error)
{
  PeerSubject *self = (PeerSubject *)subject;
  const MsReduceOperator *op = ms_reduce_operator(self->spec.op);
  double tolerance = ms_reduce_operator_is_extreme(op) || op->whole ? 0 : TOLERANCE, expected[MAX_NUMBERS];
  MsReduceResult reference;

  if (!ms_reduce_serial(&self->spec, self->data, self->n, &reference, error))
    return FALSE;
  verification->total = list_numbers(&reference, expected);
  g_autofree double *numbers =
    (double *)ms_peer_process_save(&self->process, verification->total * sizeof *expected, cancellable, error);
  for (guint i = 0; numbers && i < verification->total; i++) {
    double difference = fabs(numbers[i] - expected[i]);
    verification->mismatches += !(difference <= tolerance * fabs(expected[i]));
    verification->max_difference = fmax(verification->max_difference, difference);
  }
  verification->against = g_strdup(N_("the serial result"));
  return numbers != NULL;
}

static void
peer_release(MsSubject *subject)
{
  PeerSubject *self = (PeerSubject *)subject;

  ms_peer_process_clear(&self->process);
  self->data = NULL;
}

static const MsSubjectFuncs peer_funcs = {peer_prepare, peer_run, peer_verify, peer_release, NULL};

/* Accepts the keys of kind reduce as well, since fixed factors apply to all rows; a peer ignores variant and clock. */
static gboolean
peer_knows(const char *key)
{
  return strcmp(key, "library") == 0 || ms_lab_kind_reduce.knows(key);
}

/* The group of kind reduce, with whose rows a peer is compared. */
static char *
peer_group(const MsFactors *factors)
{
  return ms_lab_kind_reduce.group(factors);
}

static gboolean
parse_library(PeerSubject *self, const MsFactors *factors, GError **error)
{
  const char *name = ms_factors_get_or(factors, "library", library_names[0]);

  self->library = ms_choice_parse(library_names, "library", name, error);
  if (self->library < 0)
    return FALSE;
  if (self->spec.type != MS_ELEMENT_UINT)
    return TRUE;
  ms_set_error_literal(error, MS_ERROR_UNSUPPORTED, "OpenCV has no unsigned elements of 32 bits.");
  return FALSE;
}

static MsSubject *
peer_create(MsLabBench *bench, const MsFactors *factors, const char *label, GError **error)
{
  PeerSubject *self = g_new0(PeerSubject, 1);
  MsReduceOptions ignored;

  ms_subject_init(&self->parent, &peer_funcs, label);
  self->bench = bench;
  if (!ms_reduce_from_factors(factors, &self->spec, &ignored, &self->n, error) ||
      !parse_library(self, factors, error)) {
    ms_subject_free(&self->parent);
    return NULL;
  }
  self->parent.work.elements = (double)self->n;
  self->parent.work.bytes = (double)self->n * ms_element_type_size(self->spec.type);
  return &self->parent;
}

const MsLabKind ms_lab_kind_reduce_peer = {"reduce-peer", peer_knows, peer_group, peer_create, NULL, NULL};
