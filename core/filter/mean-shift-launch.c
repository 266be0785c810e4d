/* SPDX-License-Identifier: MIT */
#include "core/filter/mean-shift-launch.h"

#include "core/opencl/kernel-args.h"

/** ms_filter_launch_create_kernels: builds the program unless it was built before, and creates each pass's kernel. */
gboolean
ms_filter_launch_create_kernels(MsFilterLaunch *self, GError **error)
{
  MsProgram *program = ms_context_build(self->context, self->plan->program, self->log, error);

  if (!program)
    return FALSE;
  for (guint i = 0; i < self->plan->n_passes; i++) {
    self->kernels[i] = ms_program_create_kernel(program, self->plan->passes[i].function, error);
    if (!self->kernels[i])
      return FALSE;
  }
  return TRUE;
}

/** ms_filter_launch_release_kernels: releases the kernels that were created. */
void
ms_filter_launch_release_kernels(MsFilterLaunch *self)
{
  for (guint i = 0; i < MS_PLAN_MAX_PASSES; i++)
    g_clear_pointer(&self->kernels[i], clReleaseKernel);
}

/* MsArgVectors: the vector arguments that several kernels share. */
typedef struct {
  cl_int4 image;
  cl_int4 region;
  cl_int4 band;
  cl_int4 filter;
  cl_float sp;
} MsArgVectors;

static MsArgVectors
arg_vectors(const MsFilterLaunch *self)
{
  const MsPlanRequest *q = &self->plan->request;
  MsFilterNumbers numbers = ms_params_numbers(&self->plan->settings.params);

  return (MsArgVectors){
    .image = {{q->width, q->height, self->held.first, self->held.count}},
    .region = {{q->region.x, self->stripe.first, q->region.width, self->stripe.count}},
    .band = {{q->region.x, self->band.first, q->region.width, self->band.count}},
    .filter = {{self->plan->radius, numbers.isr2, numbers.max_iterations, numbers.epsilon}},
    .sp = numbers.sp,
  };
}

static MsKernelArg
arg_value(const MsFilterLaunch *self, MsArg arg, const MsPass *pass, const MsArgVectors *vectors)
{
  const MsFilterBuffers *b = self->buffers;

  switch (arg) {
  case MS_ARG_SOURCE:
    return (MsKernelArg){sizeof(cl_mem), self->plan->source_is_image ? &b->image : &b->source.mem};
  case MS_ARG_RESULT:
    return (MsKernelArg){sizeof(cl_mem), &b->result.mem};
  case MS_ARG_IMAGE:
    return (MsKernelArg){sizeof(cl_int4), &vectors->image};
  case MS_ARG_REGION:
    return (MsKernelArg){sizeof(cl_int4), &vectors->region};
  case MS_ARG_BAND:
    return (MsKernelArg){sizeof(cl_int4), &vectors->band};
  case MS_ARG_FILTER:
    return (MsKernelArg){sizeof(cl_int4), &vectors->filter};
  case MS_ARG_SP:
    return (MsKernelArg){sizeof(cl_float), &vectors->sp};
  case MS_ARG_LOCAL:
    return (MsKernelArg){pass->local_bytes, NULL};
  case MS_ARG_MASK:
    return (MsKernelArg){sizeof(cl_mem), &b->mask.mem};
  case MS_ARG_TABLES:
    return (MsKernelArg){sizeof(cl_mem), &b->tables};
  case MS_ARG_MODES:
    return (MsKernelArg){sizeof(cl_mem), &b->modes.mem};
  case MS_ARG_SCRATCH_0:
  case MS_ARG_SCRATCH_1:
  case MS_ARG_SCRATCH_2:
  case MS_ARG_SCRATCH_3:
    return (MsKernelArg){sizeof(cl_mem), &b->scratch[arg - MS_ARG_SCRATCH_0].mem};
  }
  g_return_val_if_reached((MsKernelArg){0});
}

static gboolean
set_args(const MsFilterLaunch *self, cl_kernel kernel, const MsPass *pass, GError **error)
{
  MsArgVectors vectors = arg_vectors(self);

  MsKernelArg args[MS_PLAN_MAX_ARGS];

  for (guint i = 0; i < pass->n_args; i++)
    args[i] = arg_value(self, pass->args[i], pass, &vectors);
  return ms_kernel_set_args(kernel, pass->function, args, pass->n_args, error);
}

/* The work-items that cover @extent pixels, as a multiple of @local. */
static gsize
global_size(gsize extent, int item, gsize local)
{
  gsize items = (extent + item - 1) / item;

  return local ? (items + local - 1) / local * local : items;
}

static MsNDRange
pass_range(const MsFilterLaunch *self, const MsPass *pass)
{
  gsize width = self->plan->request.region.width, height = self->band.count;
  MsNDRange range = {.dimensions = 2, .local = {pass->local[0], pass->local[1]}};

  if (pass->grid != MS_GRID_BAND) {
    width = self->plan->request.width + 2 * (gsize)pass->pad_x;
    height = self->held.count + 2 * (gsize)pass->pad_y;
  }
  range.global[0] = global_size(width, pass->item_width, pass->local[0]);
  range.global[1] = global_size(height, pass->item_height, pass->local[1]);
  return range;
}

static gboolean
launch_pass(MsFilterLaunch *self, guint number, GError **error)
{
  const MsPass *pass = &self->plan->passes[number];
  MsNDRange range = pass_range(self, pass);
  guint64 bytes = (guint64)self->plan->request.region.width * self->band.count * 8;

  return set_args(self, self->kernels[number], pass, error) &&
         ms_context_launch(self->context, &(MsLaunch){self->kernels[number], pass->function, range, bytes}, self->log,
                           error);
}

/** ms_filter_launch_grid: enqueues the passes of that grid; does not wait. */
gboolean
ms_filter_launch_grid(MsFilterLaunch *self, MsGrid grid, GError **error)
{
  for (guint i = 0; i < self->plan->n_passes; i++)
    if (self->plan->passes[i].grid == grid && !launch_pass(self, i, error))
      return FALSE;
  return TRUE;
}
