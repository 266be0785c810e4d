/* SPDX-License-Identifier: MIT */
#include "core/filter/mean-shift-level-steps.h"

#include "core/filter/pyramid/pyramid.h"
#include "core/opencl/cl-error.h"

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

static const char *const functions[MS_LEVEL_STEPS] = {"halve_level", "enlarge_level", "place_modes", "mark_edges",
                                                      "mark_level"};

typedef struct {
  gsize bytes;
  const void *value;
} Argument;

#define ARGUMENT(variable) ((Argument){sizeof(variable), &(variable)})

/* One work-item a pixel. */
static gboolean
launch(MsLevelSteps *self, Step step, const Argument *arguments, guint n, MsPyramidSize size, GError **error)
{
  const MsNDRange range = {.dimensions = 2,
                           .global = {(gsize)(size.width + GROUP_WIDTH - 1) / GROUP_WIDTH * GROUP_WIDTH, size.height},
                           .local = {GROUP_WIDTH, 1}};

  for (guint i = 0; i < n; i++)
    if (!ms_cl_check(clSetKernelArg(self->kernels[step], i, arguments[i].bytes, arguments[i].value), error,
                     "setting argument %u of the kernel %s", i, functions[step]))
      return FALSE;
  return ms_context_launch(
    self->context, &(MsLaunch){self->kernels[step], functions[step], range, (guint64)size.width * size.height * 8},
    self->log, error);
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
    self->kernels[i] = ms_program_create_kernel(program, functions[i], error);
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
  const Argument arguments[] = {ARGUMENT(fine->pixels), ARGUMENT(coarse->pixels), ARGUMENT(fine->rows),
                                ARGUMENT(coarse->rows)};

  return launch(self, STEP_HALVE, arguments, G_N_ELEMENTS(arguments), size_of(coarse->rows), error);
}

/* The result and the modes that pixels of the stripe keep where they are not filtered again. */
static gboolean
enlarge(MsLevelSteps *self, const MsLevelPixels *coarser, const MsFilterLaunch *fine, const cl_int4 *to, GError **error)
{
  const MsRegion *r = &fine->plan->request.region;
  const MsPyramidSize size = {r->width, fine->stripe.count};
  const cl_int4 region = {{r->x, fine->stripe.first, r->width, fine->stripe.count}};
  const Argument pixels[] = {ARGUMENT(coarser->pixels),
                             ARGUMENT(fine->buffers->source.mem),
                             ARGUMENT(fine->buffers->result.mem),
                             ARGUMENT(*to),
                             ARGUMENT(coarser->rows),
                             ARGUMENT(region)};
  const Argument modes[] = {ARGUMENT(coarser->modes), ARGUMENT(fine->buffers->modes.mem), ARGUMENT(*to),
                            ARGUMENT(coarser->rows), ARGUMENT(region)};

  return launch(self, STEP_ENLARGE, pixels, G_N_ELEMENTS(pixels), size, error) &&
         (!fine->plan->request.modes || launch(self, STEP_MODES, modes, G_N_ELEMENTS(modes), size, error));
}

static gboolean
mark(MsLevelSteps *self, const MsLevelPixels *coarser, const MsFilterLaunch *fine, const cl_int4 *to, GError **error)
{
  const cl_int edge = ms_pyramid_edge(&fine->plan->settings.params);
  const Argument edges[] = {ARGUMENT(coarser->pixels), ARGUMENT(fine->buffers->edges.mem), ARGUMENT(coarser->rows),
                            ARGUMENT(edge)};
  const Argument mask[] = {ARGUMENT(fine->buffers->edges.mem), ARGUMENT(fine->buffers->mask.mem), ARGUMENT(*to),
                           ARGUMENT(coarser->rows)};

  return launch(self, STEP_EDGES, edges, G_N_ELEMENTS(edges), size_of(coarser->rows), error) &&
         launch(self, STEP_MARK, mask, G_N_ELEMENTS(mask), size_of(*to), error);
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
