/* SPDX-License-Identifier: MIT */
/* Folds one chunk of an array on the device into the partials of the groups, and those into one. */
#include "core/opencl/cl-error.h"
#include "core/opencl/context-transfer.h"
#include "core/opencl/kernel-args.h"
#include "core/reduce/plan-layout.h"
#include "core/reduce/reduce-private.h"
#include "core/reduce/reduce-words.h"

/* Words before the partials in the output of a last-group finish, as in finish/last-group.cl. */
#define LAST_GROUP_HEADER 9
#define LAST_GROUP_PIECES 3
#define PARTIALS_TIMES 8

static gsize
out_bytes_for(const MsReducePlan *plan, guint groups)
{
  gsize words = (gsize)groups * plan->words;

  if (plan->options.between == MS_REDUCE_BETWEEN_ATOMIC)
    return MS_REDUCE_MAX_WORDS * sizeof(guint64);
  if (plan->options.between == MS_REDUCE_BETWEEN_LAST_GROUP)
    return (LAST_GROUP_HEADER + words * LAST_GROUP_PIECES) * sizeof(guint32);
  return words * sizeof(guint64);
}

static gboolean
ensure_out(MsReducer *self, guint groups, GError **error)
{
  gsize bytes = out_bytes_for(self->plan, groups);
  guint n = self->plan->options.between == MS_REDUCE_BETWEEN_RECURSIVE ? 2 : 1;

  if (bytes <= self->out_bytes)
    return TRUE;
  self->out_bytes = 0;
  self->out_is_clear = FALSE;
  for (guint i = 0; i < n; i++) {
    g_clear_pointer(&self->out[i], clReleaseMemObject);
    self->out[i] = ms_context_create_buffer(self->context, CL_MEM_READ_WRITE, bytes, NULL, error);
    if (!self->out[i])
      return FALSE;
  }
  self->out_bytes = bytes;
  return TRUE;
}

static gboolean
clear_slots(MsReducer *self, GError **error)
{
  const guint32 zero = 0;

  if (self->out_is_clear)
    return TRUE;
  self->out_is_clear = TRUE;
  return ms_cl_check(clEnqueueFillBuffer(ms_context_get_queue(self->context), self->out[0], &zero, sizeof zero, 0,
                                         self->out_bytes, 0, NULL, NULL),
                     error, "clearing the partials");
}

static gboolean
prepare_out(MsReducer *self, guint groups, GError **error)
{
  guint64 start[MS_REDUCE_MAX_WORDS];

  if (!ensure_out(self, groups, error))
    return FALSE;
  if (self->plan->options.between == MS_REDUCE_BETWEEN_LAST_GROUP)
    return clear_slots(self, error);
  if (self->plan->options.between != MS_REDUCE_BETWEEN_ATOMIC)
    return TRUE;
  ms_reduce_atomic_start(self->plan, start);
  return ms_context_upload(self->context, &(MsBufferRange){self->out[0], 0, sizeof start}, start, NULL, error);
}

static gboolean
set_arguments(MsReducer *self, cl_mem source, const MsReduceSpan *span, cl_int times, GError **error)
{
  const gsize element_bytes = ms_element_type_size(ms_reduce_value_type(self->plan));
  const MsKernelArg args[] = {
    MS_ARG_OF(source),
    MS_ARG_OF(span->origin),
    MS_ARG_OF(span->from),
    MS_ARG_OF(span->to),
    MS_ARG_OF(times),
    {element_bytes, &self->centre},
    MS_ARG_OF(self->out[0]),
    MS_ARG_OF(self->map),
    MS_ARG_LOCAL_BYTES(ms_reduce_scratch_bytes(self->plan)),
    MS_ARG_LOCAL_BYTES(sizeof(cl_uint)),
  };

  return ms_kernel_set_args(self->kernel, "reduce", args, G_N_ELEMENTS(args), error);
}

static MsNDRange
grid(const MsReducer *self, guint groups)
{
  return (MsNDRange){.dimensions = 1, .global = {(gsize)groups * self->plan->group}, .local = {self->plan->group}};
}

/* Folds the partials of @groups in the first buffer into those of @into groups in the second. */
static gboolean
launch_partials(MsReducer *self, guint groups, guint into, MsTimingLog *log, GError **error)
{
  MsNDRange range = grid(self, into);
  cl_int n = (cl_int)groups, times = PARTIALS_TIMES;
  const MsKernelArg args[] = {
    MS_ARG_OF(self->out[0]),
    MS_ARG_OF(n),
    MS_ARG_OF(times),
    MS_ARG_OF(self->out[1]),
    MS_ARG_OF(self->map),
    MS_ARG_LOCAL_BYTES(ms_reduce_scratch_bytes(self->plan)),
    MS_ARG_LOCAL_BYTES(sizeof(cl_uint)),
  };
  const MsLaunch launch = {self->partials_kernel, "reduce_partials", range,
                           (guint64)groups * self->plan->words * sizeof(guint64)};

  return ms_kernel_set_args(launch.kernel, launch.name, args, G_N_ELEMENTS(args), error) &&
         ms_context_launch(self->context, &launch, log, error);
}

/* Leaves one partial in out[0]: the buffers are exchanged, not copied. */
static gboolean
fold_recursively(MsReducer *self, guint groups, MsTimingLog *log, GError **error)
{
  guint share = self->plan->group * PARTIALS_TIMES;

  while (groups > 1) {
    guint next = (groups + share - 1) / share;
    cl_mem from = self->out[0];
    if (!launch_partials(self, groups, next, log, error))
      return FALSE;
    self->out[0] = self->out[1];
    self->out[1] = from;
    groups = next;
  }
  return TRUE;
}

/* @first: index in the whole array of the element that positions are counted from. */
static gboolean
collect(MsReducer *self, guint groups, guint64 first, const MsReduceJob *job, GError **error)
{
  const MsReducePlan *plan = self->plan;
  gboolean many = plan->options.between == MS_REDUCE_BETWEEN_HOST;
  gsize n = many ? groups : 1, bytes = n * plan->words * sizeof(guint64);
  g_autofree guint64 *words = g_malloc(bytes);

  if (plan->options.between == MS_REDUCE_BETWEEN_RECURSIVE && !fold_recursively(self, groups, job->log, error))
    return FALSE;
  if (!ms_context_download(self->context, &(MsBufferRange){self->out[0], 0, bytes}, words, job->log, error))
    return FALSE;
  for (gsize i = 0; i < n; i++)
    ms_reduce_result_fold(plan, words + i * plan->words, first, job->result);
  return TRUE;
}

/**
 * ms_reducer_run_span:
 * @source: a buffer, or an image of the plan's shape
 *
 * Folds one chunk on the device. For a channel, whole pixels count as bytes moved.
 */
gboolean
ms_reducer_run_span(MsReducer *self, cl_mem source, const MsReduceSpan *span, const MsReduceJob *job, GError **error)
{
  guint64 n = (guint64)(span->to - span->from), bytes = n * self->plan->element_bytes;
  MsReduceLaunch launch = ms_reduce_plan_launch(self->plan, n);
  MsNDRange range = grid(self, launch.groups);
  gboolean good;

  good = prepare_out(self, launch.groups, error) && set_arguments(self, source, span, (cl_int)launch.times, error) &&
         ms_context_launch(self->context, &(MsLaunch){self->kernel, "reduce", range, bytes}, job->log, error) &&
         collect(self, launch.groups, span->place - (guint64)span->from, job, error);
  if (!good)
    self->out_is_clear = FALSE;
  return good;
}
