/* SPDX-License-Identifier: MIT */
/* The kernels of a run: made from the plan's program, given their arguments, launched pass by pass. */
#include "core/filter/mean-shift-run.h"
#include "core/opencl/cl-error.h"

/** ms_filter_run_create_kernels: builds the program, if it was not built before, and makes a kernel for each pass. */
gboolean
ms_filter_run_create_kernels(MsFilterRun *run, GError **error)
{
  MsProgram *program = ms_context_build(run->self->context, run->plan->program, run->log, error);

  if (!program)
    return FALSE;
  for (guint i = 0; i < run->plan->n_passes; i++) {
    run->kernels[i] = ms_program_create_kernel(program, run->plan->passes[i].function, error);
    if (!run->kernels[i])
      return FALSE;
  }
  return TRUE;
}

/** ms_filter_run_release_kernels: gives back those that were made. */
void
ms_filter_run_release_kernels(MsFilterRun *run)
{
  for (guint i = 0; i < MS_PLAN_MAX_PASSES; i++)
    g_clear_pointer(&run->kernels[i], clReleaseKernel);
}

static cl_int
set_arg(MsFilterRun *run, cl_kernel kernel, guint index, MsArg arg, const MsPass *pass, int pass_number)
{
  const MsPlanRequest *q = &run->plan->request;
  MsFilterNumbers numbers = ms_params_numbers(&run->plan->settings.params);
  const cl_int4 image = {{q->width, q->height, run->held.first, run->held.count}};
  const cl_int4 region = {{q->region.x, run->stripe.first, q->region.width, run->stripe.count}};
  const cl_int4 band = {{q->region.x, run->band.first, q->region.width, run->band.count}};
  const cl_int4 filter = {{run->plan->radius, numbers.isr2, numbers.max_iterations, numbers.epsilon}};

  switch (arg) {
  case MS_ARG_SOURCE:
    return clSetKernelArg(kernel, index, sizeof(cl_mem),
                          run->plan->source_is_image ? &run->self->image : &run->self->source.mem);
  case MS_ARG_RESULT:
    return clSetKernelArg(kernel, index, sizeof(cl_mem), &run->self->result.mem);
  case MS_ARG_IMAGE:
    return clSetKernelArg(kernel, index, sizeof image, &image);
  case MS_ARG_REGION:
    return clSetKernelArg(kernel, index, sizeof region, &region);
  case MS_ARG_BAND:
    return clSetKernelArg(kernel, index, sizeof band, &band);
  case MS_ARG_FILTER:
    return clSetKernelArg(kernel, index, sizeof filter, &filter);
  case MS_ARG_SP:
    return clSetKernelArg(kernel, index, sizeof numbers.sp, &numbers.sp);
  case MS_ARG_LOCAL:
    return clSetKernelArg(kernel, index, pass->local_bytes, NULL);
  case MS_ARG_PASS:
    return clSetKernelArg(kernel, index, sizeof pass_number, &pass_number);
  default:
    return clSetKernelArg(kernel, index, sizeof(cl_mem), &run->self->scratch[arg - MS_ARG_SCRATCH_0].mem);
  }
}

static gsize
groups_up(gsize extent, int item, gsize local)
{
  gsize items = (extent + item - 1) / item;

  return local ? (items + local - 1) / local * local : items;
}

static MsNDRange
pass_range(const MsFilterRun *run, const MsPass *pass)
{
  gsize width = run->plan->request.region.width, height = run->band.count;
  MsNDRange range = {.dimensions = 2, .local = {pass->local[0], pass->local[1]}};

  if (pass->grid == MS_GRID_STRIPE) {
    width = run->plan->request.width + 2 * (gsize)pass->pad_x;
    height = run->held.count + 2 * (gsize)pass->pad_y;
  }
  if (pass->grid == MS_GRID_FIXED) {
    range.global[0] = pass->global[0];
    range.global[1] = MAX(pass->global[1], 1);
    return range;
  }
  range.global[0] = groups_up(width, pass->item_width, pass->local[0]);
  range.global[1] = groups_up(height, pass->item_height, pass->local[1]);
  return range;
}

static gboolean
launch_pass(MsFilterRun *run, guint number, GError **error)
{
  const MsPass *pass = &run->plan->passes[number];
  MsNDRange range = pass_range(run, pass);
  guint64 bytes = (guint64)run->plan->request.region.width * run->band.count * 8;

  for (guint i = 0; i < pass->n_args; i++)
    if (!ms_cl_check(set_arg(run, run->kernels[number], i, pass->args[i], pass, (int)number), error,
                     "setting argument %u of the kernel %s", i, pass->function))
      return FALSE;
  return ms_context_launch(run->self->context, run->kernels[number], pass->function, &range, bytes, run->log, error);
}

/** ms_filter_run_launch: enqueues the passes of the stripe, or those of the band; does not wait. */
gboolean
ms_filter_run_launch(MsFilterRun *run, gboolean of_stripe, GError **error)
{
  for (guint i = 0; i < run->plan->n_passes; i++)
    if ((run->plan->passes[i].grid == MS_GRID_STRIPE) == of_stripe && !launch_pass(run, i, error))
      return FALSE;
  return TRUE;
}
