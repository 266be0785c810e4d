/* SPDX-License-Identifier: MIT */
#include "core/filter/mean-shift-level-steps.h"

#include "core/filter/pyramid/pyramid.h"
#include "core/opencl/kernel-args.h"

/* Work-items of a row; neighbours in a row share what they load. */
#define GROUP_WIDTH 64

typedef enum {
  STEP_HALVE,
  STEP_ENLARGE,
  STEP_MODES,
  STEP_EDGES,
  STEP_MARK,
} Step;

G_STATIC_ASSERT(STEP_MARK + 1 == MS_LEVEL_STEPS);

/* n_pixels: of a row, that a work-item computes */
static const struct {
  const char *function;
  guint n_args;
  gsize n_pixels;
} steps[MS_LEVEL_STEPS] = {
  [STEP_HALVE] = {"halve_level", 4, 4}, [STEP_ENLARGE] = {"enlarge_level", 6, 4}, [STEP_MODES] = {"place_modes", 5, 1},
  [STEP_EDGES] = {"mark_edges", 4, 4},  [STEP_MARK] = {"mark_level", 4, 8},
};

static gboolean
launch(MsLevelSteps *self, Step step, const MsKernelArg *args, MsPyramidSize size, GError **error)
{
  const gsize width = GROUP_WIDTH * steps[step].n_pixels, groups = ((gsize)size.width + width - 1) / width;
  const MsNDRange range = {.dimensions = 2, .global = {groups * GROUP_WIDTH, size.height}, .local = {GROUP_WIDTH, 1}};
  const MsLaunch about = {self->kernels[step], steps[step].function, range, (guint64)size.width * size.height * 8};

  return ms_kernel_set_args(about.kernel, about.name, args, steps[step].n_args, error) &&
         ms_context_launch(self->context, &about, self->log, error);
}

static MsPyramidSize
size_of(cl_int4 rows)
{
  return (MsPyramidSize){rows.s[0], rows.s[3]};
}

/** ms_level_steps_create_kernels: builds the program unless it was built before. */
gboolean
ms_level_steps_create_kernels(MsLevelSteps *self, GError **error)
{
  g_autoptr(MsProgramSpec) spec = ms_program_spec_new();
  MsProgram *program;

  ms_program_spec_add_part(spec, "levels/halve.cl");
  ms_program_spec_add_part(spec, "levels/enlarge.cl");
  program = ms_context_build(self->context, spec, self->log, error);
  for (guint i = 0; program && i < MS_LEVEL_STEPS; i++) {
    self->kernels[i] = ms_program_create_kernel(program, steps[i].function, error);
    if (!self->kernels[i])
      return FALSE;
  }
  return program != NULL;
}

/** ms_level_steps_release_kernels: releases the kernels that were created. */
void
ms_level_steps_release_kernels(MsLevelSteps *self)
{
  for (guint i = 0; i < MS_LEVEL_STEPS; i++)
    g_clear_pointer(&self->kernels[i], clReleaseKernel);
}

/** ms_level_steps_halve: enqueues what computes the rows of @coarse from those of @fine. */
gboolean
ms_level_steps_halve(MsLevelSteps *self, const MsLevelPixels *fine, const MsLevelPixels *coarse, GError **error)
{
  const MsKernelArg arguments[] = {MS_ARG_OF(fine->pixels), MS_ARG_OF(coarse->pixels), MS_ARG_OF(fine->rows),
                                   MS_ARG_OF(coarse->rows)};

  return launch(self, STEP_HALVE, arguments, size_of(coarse->rows), error);
}

/* The result and the modes that pixels of the stripe keep where they are not filtered again. */
static gboolean
enlarge(MsLevelSteps *self, const MsLevelPixels *coarser, const MsFilterLaunch *fine, const cl_int4 *to, GError **error)
{
  const MsRegion *r = &fine->plan->request.region;
  const MsPyramidSize size = {r->width, fine->stripe.count};
  const cl_int4 region = {{r->x, fine->stripe.first, r->width, fine->stripe.count}};
  const MsKernelArg pixels[] = {MS_ARG_OF(coarser->pixels),
                                MS_ARG_OF(fine->buffers->source.mem),
                                MS_ARG_OF(fine->buffers->result.mem),
                                MS_ARG_OF(*to),
                                MS_ARG_OF(coarser->rows),
                                MS_ARG_OF(region)};
  const MsKernelArg modes[] = {MS_ARG_OF(coarser->modes), MS_ARG_OF(fine->buffers->modes.mem), MS_ARG_OF(*to),
                               MS_ARG_OF(coarser->rows), MS_ARG_OF(region)};

  return launch(self, STEP_ENLARGE, pixels, size, error) &&
         (!fine->plan->request.modes || launch(self, STEP_MODES, modes, size, error));
}

static gboolean
mark(MsLevelSteps *self, const MsLevelPixels *coarser, const MsFilterLaunch *fine, const cl_int4 *to, GError **error)
{
  const cl_int edge = ms_pyramid_edge(&fine->plan->settings.params);
  const MsKernelArg edges[] = {MS_ARG_OF(coarser->pixels), MS_ARG_OF(fine->buffers->edges.mem),
                               MS_ARG_OF(coarser->rows), MS_ARG_OF(edge)};
  const MsKernelArg mask[] = {MS_ARG_OF(fine->buffers->edges.mem), MS_ARG_OF(fine->buffers->mask.mem), MS_ARG_OF(*to),
                              MS_ARG_OF(coarser->rows)};

  return launch(self, STEP_EDGES, edges, size_of(coarser->rows), error) &&
         launch(self, STEP_MARK, mask, size_of(*to), error);
}

/**
 * ms_level_steps_start:
 * @coarser: the result of the level above: at least the rows of ms_bands_coarser() for those that @fine holds
 * @fine: a stripe, whose source is on the device
 *
 * Enqueues what fills the result, the modes and the mask of the stripe before its own passes.
 */
gboolean
ms_level_steps_start(MsLevelSteps *self, const MsLevelPixels *coarser, const MsFilterLaunch *fine, GError **error)
{
  const MsPlanRequest *q = &fine->plan->request;
  const cl_int4 to = {{q->width, q->height, fine->held.first, fine->held.count}};

  return enlarge(self, coarser, fine, &to, error) && mark(self, coarser, fine, &to, error);
}
