/* SPDX-License-Identifier: MIT */
#include "core/reduce/reduce.h"

#include <math.h>

#include "core/reduce/plan-layout.h"
#include "core/reduce/reduce-private.h"
#include "core/reduce/reduce-result.h"

G_DEFINE_FINAL_TYPE(MsReducer, ms_reducer, G_TYPE_OBJECT)

static void
ms_reducer_finalize(GObject *object)
{
  MsReducer *self = MS_REDUCER(object);

  g_clear_pointer(&self->kernel, clReleaseKernel);
  g_clear_pointer(&self->partials_kernel, clReleaseKernel);
  g_clear_pointer(&self->out[0], clReleaseMemObject);
  g_clear_pointer(&self->out[1], clReleaseMemObject);
  g_clear_pointer(&self->map, clReleaseMemObject);
  g_clear_pointer(&self->upload, clReleaseMemObject);
  g_clear_pointer(&self->image, clReleaseMemObject);
  g_clear_pointer(&self->plan, ms_reduce_plan_free);
  g_clear_object(&self->opposite);
  g_clear_object(&self->context);
  G_OBJECT_CLASS(ms_reducer_parent_class)->finalize(object);
}

static void
ms_reducer_class_init(MsReducerClass *klass)
{
  G_OBJECT_CLASS(klass)->finalize = ms_reducer_finalize;
}

static void
ms_reducer_init(MsReducer *self)
{
}

static gboolean
create_map(MsReducer *self, GError **error)
{
  gsize bytes = 2 * self->plan->group * sizeof(guint16);
  g_autofree guint16 *map = g_malloc(bytes);

  ms_reduce_plan_fill_map(self->plan, map);
  self->map = ms_context_create_buffer(self->context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, bytes, map, error);
  return self->map != NULL;
}

static gboolean
create_kernels(MsReducer *self, MsTimingLog *log, GError **error)
{
  MsProgram *program = ms_context_build(self->context, self->plan->program, log, error);

  if (!program)
    return FALSE;
  self->kernel = ms_program_create_kernel(program, "reduce", error);
  if (!self->kernel)
    return FALSE;
  if (self->plan->options.between != MS_REDUCE_BETWEEN_RECURSIVE)
    return TRUE;
  self->partials_kernel = ms_program_create_kernel(program, "reduce_partials", error);
  return self->partials_kernel != NULL;
}

/**
 * ms_reducer_new:
 * @plan: copied
 * @log: (nullable): gets the build
 *
 * Returns: (transfer full): a reducer with its kernels built, or %NULL with @error set
 */
MsReducer *
ms_reducer_new(MsContext *context, const MsReducePlan *plan, MsTimingLog *log, GError **error)
{
  g_autoptr(MsReducer) self = g_object_new(MS_TYPE_REDUCER, NULL);

  self->context = g_object_ref(context);
  self->plan = ms_reduce_plan_copy(plan);
  if (!create_kernels(self, log, error) || !create_map(self, error))
    return NULL;
  return g_steal_pointer(&self);
}

/*
 * A minimum of +infinity means that every element is +infinity or NaN, and only the maximum shows which: it is
 * -infinity when every element is NaN. The same holds with the roles exchanged.
 */
static gboolean
is_undecided(const MsReducePlan *plan, const MsReduceResult *result)
{
  const MsReduceOperator *op = ms_reduce_operator(plan->spec.op);

  if (!ms_element_type_is_real(plan->spec.type))
    return FALSE;
  return (op->low && !op->high && result->min == INFINITY) || (op->high && !op->low && result->max == -INFINITY);
}

static MsReducer *
get_opposite(MsReducer *self, guint64 n, MsTimingLog *log, GError **error)
{
  MsReduceSpec spec = self->plan->spec;
  g_autoptr(MsReducePlan) plan = NULL;

  if (self->opposite)
    return self->opposite;
  spec.op = ms_reduce_operator(spec.op)->opposite;
  plan = ms_reduce_plan_new(&spec, &self->plan->options, &self->plan->limits, n, error);
  if (plan)
    self->opposite = ms_reducer_new(self->context, plan, log, error);
  return self->opposite;
}

static void
decide_nan(MsReduceResult *result)
{
  if (!ms_element_type_is_real(result->type) || result->min != INFINITY || result->max != -INFINITY)
    return;
  result->min = result->max = NAN;
}

static void
complete(MsReducer *self, const MsReduceResult *opposite, MsReduceResult *result)
{
  const MsReduceOperator *op = ms_reduce_operator(self->plan->spec.op);

  if (opposite && op->low)
    result->max = opposite->max;
  else if (opposite)
    result->min = opposite->min;
  if (opposite || (op->low && op->high))
    decide_nan(result);
  ms_reduce_result_complete(result);
}

/**
 * ms_reducer_run:
 *
 * Returns: %FALSE with @error set: #MS_ERROR_USAGE for an empty array, G_IO_ERROR_CANCELLED, or the device's error
 */
gboolean
ms_reducer_run(MsReducer *self, const MsReduceInput *input, const MsReduceJob *job, GError **error)
{
  MsReduceResult other;
  const MsReduceJob again = {&other, job->log, job->cancellable};
  MsReducer *opposite = NULL;

  if (input->n == 0) {
    ms_set_error(error, MS_ERROR_USAGE, "The array is empty; a reduction needs at least one element.");
    return FALSE;
  }
  if (!ms_reducer_fold(self, input, job, error))
    return FALSE;
  if (is_undecided(self->plan, job->result)) {
    opposite = get_opposite(self, input->n, job->log, error);
    if (!opposite || !ms_reducer_fold(opposite, input, &again, error))
      return FALSE;
  }
  complete(self, opposite ? &other : NULL, job->result);
  return TRUE;
}

/** ms_reduce_array: plans, builds and runs one reduction. */
gboolean
ms_reduce_array(MsContext *context, const MsReduceRequest *request, const MsReduceInput *input, const MsReduceJob *job,
                GError **error)
{
  g_autoptr(MsReducePlan) plan =
    ms_reduce_plan_new(&request->spec, &request->options, ms_context_get_limits(context), input->n, error);
  g_autoptr(MsReducer) reducer = plan ? ms_reducer_new(context, plan, job->log, error) : NULL;

  return reducer && ms_reducer_run(reducer, input, job, error);
}
