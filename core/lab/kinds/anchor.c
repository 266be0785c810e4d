/* SPDX-License-Identifier: MIT */
#include "core/lab/kinds/anchor.h"

#include <glib/gi18n-lib.h>

#include "core/opencl/context-transfer.h"
#include "core/reduce/launch.h"

#define GROUP_SIZE 64
#define STEPS 512
#define CPU_ITEMS (1 << 15)
#define GPU_ITEMS (1 << 20)

typedef struct {
  MsSubject parent;
  MsLabBench *bench;
  cl_int steps;
  guint n;
  cl_mem out;
  cl_kernel kernel;
  MsTimingLog *log;
} AnchorSubject;

static gboolean
anchor_prepare(MsSubject *subject, GCancellable *cancellable, GError **error)
{
  AnchorSubject *self = (AnchorSubject *)subject;
  MsContext *context = ms_lab_bench_context(self->bench);
  g_autoptr(MsProgramSpec) spec = ms_program_spec_new();

  ms_program_spec_add_part(spec, "anchor/anchor.cl");
  self->kernel = ms_kernel_new(context, spec, "anchor", NULL, error);
  self->out = self->kernel ? ms_device_zeros_new(context, self->n * sizeof(cl_uint), error) : NULL;
  const MsKernelArg args[] = {MS_ARG_OF(self->out), MS_ARG_OF(self->steps)};
  return self->out && ms_kernel_set_args(self->kernel, "anchor", args, G_N_ELEMENTS(args), error);
}

static gboolean
anchor_run(MsSubject *subject, MsSample *sample, GCancellable *cancellable, GError **error)
{
  AnchorSubject *self = (AnchorSubject *)subject;
  MsContext *context = ms_lab_bench_context(self->bench);

  ms_timing_log_clear(self->log);
  if (!ms_context_launch(context,
                         &(MsLaunch){self->kernel, "anchor", ms_nd_range_of_groups(self->n / GROUP_SIZE, GROUP_SIZE),
                                     self->n * sizeof(cl_uint)},
                         self->log, error) ||
      !ms_context_finish(context, error) || !ms_timing_log_resolve(self->log, error))
    return FALSE;
  ms_lab_take_log(self->log, sample, 1u << MS_STAGE_KERNEL);
  return TRUE;
}

static cl_uint
expected_state(cl_uint state)
{
  for (int i = 0; i < STEPS; i++)
    state = state * 1664525u + 1013904223u;
  return state;
}

static gboolean
anchor_verify(MsSubject *subject, MsVerification *verification, GCancellable *cancellable, GError **error)
{
  AnchorSubject *self = (AnchorSubject *)subject;
  g_autofree cl_uint *out = g_new(cl_uint, self->n);

  if (!ms_context_download(ms_lab_bench_context(self->bench), &(MsBufferRange){self->out, 0, self->n * sizeof *out},
                           out, NULL, error))
    return FALSE;
  verification->total = self->n;
  for (guint i = 0; i < self->n; i++)
    verification->mismatches += out[i] != expected_state(i);
  verification->against = g_strdup(N_("the same steps on the host"));
  return TRUE;
}

static void
anchor_release(MsSubject *subject)
{
  AnchorSubject *self = (AnchorSubject *)subject;

  g_clear_pointer(&self->out, clReleaseMemObject);
  g_clear_pointer(&self->kernel, clReleaseKernel);
}

static void
anchor_finalize(MsSubject *subject)
{
  g_object_unref(((AnchorSubject *)subject)->log);
}

static const MsSubjectFuncs anchor_funcs = {anchor_prepare, anchor_run, anchor_verify, anchor_release, anchor_finalize};

/** ms_lab_anchor_new: (transfer full): about a millisecond of integer arithmetic on the device of @bench. */
MsSubject *
ms_lab_anchor_new(MsLabBench *bench)
{
  AnchorSubject *self = g_new0(AnchorSubject, 1);
  gboolean gpu = ms_context_get_limits(ms_lab_bench_context(bench))->type == MS_DEVICE_TYPE_GPU;

  ms_subject_init(&self->parent, &anchor_funcs, "The anchor");
  self->bench = bench;
  self->steps = STEPS;
  self->n = gpu ? GPU_ITEMS : CPU_ITEMS;
  self->log = ms_timing_log_new();
  return &self->parent;
}
