/* SPDX-License-Identifier: MIT */
#include "core/filter/mean-shift-levels.h"

#include "core/filter/pyramid/pyramid.h"
#include "core/opencl/cl-error.h"
#include "core/opencl/context-transfer.h"

/* Work-items of a row; neighbours in a row share what they load. */
#define GROUP_WIDTH 64

/* The kernels between two levels, in the order of the functions below. */
typedef enum {
  STEP_HALVE,
  STEP_ENLARGE,
  STEP_EDGES,
  STEP_MARK,
} Step;

#define N_STEPS (STEP_MARK + 1)

static const char *const step_functions[N_STEPS] = {"halve_level", "enlarge_level", "mark_edges", "mark_level"};

/* One run: the kernels between levels, and the runs of the levels from the picture on. */
typedef struct {
  MsContext *context;
  MsTimingLog *log;
  cl_kernel steps[N_STEPS];
  guint n;
  MsFilterRun levels[MS_LEVELS_MAX + 1];
} Run;

typedef struct {
  gsize bytes;
  const void *value;
} Argument;

#define ARGUMENT(variable) ((Argument){sizeof(variable), &(variable)})

static gboolean
launch(Run *self, Step step, const Argument *arguments, guint n, MsPyramidSize size, GError **error)
{
  const MsNDRange range = {.dimensions = 2,
                           .global = {(gsize)(size.width + GROUP_WIDTH - 1) / GROUP_WIDTH * GROUP_WIDTH, size.height},
                           .local = {GROUP_WIDTH, 1}};

  for (guint i = 0; i < n; i++)
    if (!ms_cl_check(clSetKernelArg(self->steps[step], i, arguments[i].bytes, arguments[i].value), error,
                     "setting argument %u of the kernel %s", i, step_functions[step]))
      return FALSE;
  return ms_context_launch(
    self->context, &(MsLaunch){self->steps[step], step_functions[step], range, (guint64)size.width * size.height * 8},
    self->log, error);
}

static MsPyramidSize
size_of(const MsFilterRun *level)
{
  return (MsPyramidSize){level->launch.plan->request.width, level->launch.plan->request.height};
}

static cl_int2
vector_of(MsPyramidSize size)
{
  return (cl_int2){{size.width, size.height}};
}

static gboolean
halve(Run *self, guint level, GError **error)
{
  const MsFilterRun *fine = &self->levels[level], *coarse = fine + 1;
  const cl_int2 from = vector_of(size_of(fine)), to = vector_of(size_of(coarse));
  const Argument arguments[] = {ARGUMENT(fine->launch.buffers->source.mem),
                                ARGUMENT(coarse->launch.buffers->source.mem), ARGUMENT(from), ARGUMENT(to)};

  return launch(self, STEP_HALVE, arguments, G_N_ELEMENTS(arguments), size_of(coarse), error);
}

static gboolean
enlarge(Run *self, guint level, GError **error)
{
  const MsFilterRun *fine = &self->levels[level], *coarse = fine + 1;
  const MsRegion *r = &fine->launch.plan->request.region;
  const cl_int2 to = vector_of(size_of(fine)), from = vector_of(size_of(coarse));
  const cl_int4 region = {{r->x, r->y, r->width, r->height}};
  const Argument arguments[] = {ARGUMENT(coarse->launch.buffers->result.mem),
                                ARGUMENT(fine->launch.buffers->source.mem),
                                ARGUMENT(fine->launch.buffers->result.mem),
                                ARGUMENT(to),
                                ARGUMENT(from),
                                ARGUMENT(region)};

  return launch(self, STEP_ENLARGE, arguments, G_N_ELEMENTS(arguments), (MsPyramidSize){r->width, r->height}, error);
}

static gboolean
mark(Run *self, guint level, GError **error)
{
  const MsFilterRun *fine = &self->levels[level], *coarse = fine + 1;
  const cl_int2 to = vector_of(size_of(fine)), from = vector_of(size_of(coarse));
  const cl_int edge = ms_pyramid_edge(&fine->launch.plan->settings.params);
  const Argument edges[] = {ARGUMENT(coarse->launch.buffers->result.mem), ARGUMENT(fine->launch.buffers->edges.mem),
                            ARGUMENT(from), ARGUMENT(edge)};
  const Argument mask[] = {ARGUMENT(fine->launch.buffers->edges.mem), ARGUMENT(fine->launch.buffers->mask.mem),
                           ARGUMENT(to), ARGUMENT(from)};

  return launch(self, STEP_EDGES, edges, G_N_ELEMENTS(edges), size_of(coarse), error) &&
         launch(self, STEP_MARK, mask, G_N_ELEMENTS(mask), size_of(fine), error);
}

/* The levels above the picture report no progress. */
static void
init_levels(Run *self, MsFilterLevels *buffers, const MsFilterRun *run)
{
  for (const MsPlan *plan = run->launch.plan; plan; plan = plan->coarser) {
    MsFilterRun *level = &self->levels[self->n];
    const MsRegion *region = &plan->request.region;

    *level = *run;
    level->launch.plan = plan;
    level->launch.stripe = level->launch.band = (MsRows){region->y, region->height};
    level->launch.held = (MsRows){0, plan->request.height};
    if (self->n > 0) {
      level->launch.buffers = &buffers->above[self->n - 1];
      level->progress = NULL;
      level->rows_done = NULL;
      level->early_rows = FALSE;
    }
    self->n++;
  }
}

static gboolean
create_steps(Run *self, GError **error)
{
  g_autoptr(MsProgramSpec) spec = ms_program_spec_new();
  MsProgram *program;

  ms_program_spec_add_part(spec, "levels/halve.cl");
  ms_program_spec_add_part(spec, "levels/enlarge.cl");
  program = ms_context_build(self->context, spec, self->log, error);
  for (guint i = 0; program && i < N_STEPS; i++) {
    self->steps[i] = ms_program_create_kernel(program, step_functions[i], error);
    if (!self->steps[i])
      return FALSE;
  }
  return program != NULL;
}

static gboolean
prepare(Run *self, GError **error)
{
  if (!create_steps(self, error))
    return FALSE;
  for (guint i = 0; i < self->n; i++) {
    MsFilterLaunch *l = &self->levels[i].launch;
    if (!ms_filter_buffers_reserve(l->buffers, l->context, l->plan, l->held.count, l->stripe.count, error) ||
        !ms_filter_launch_create_kernels(l, error))
      return FALSE;
  }
  return TRUE;
}

/* Halves the picture up to the coarsest level, then filters from there back to the picture. */
static gboolean
run_kernels(Run *self, GError **error)
{
  if (!ms_filter_launch_grid(&self->levels[0].launch, MS_GRID_SOURCE, error))
    return FALSE;
  for (guint i = 0; i + 1 < self->n; i++)
    if (!halve(self, i, error))
      return FALSE;
  for (guint i = self->n; i-- > 0;) {
    if (i + 1 < self->n && (!enlarge(self, i, error) || !mark(self, i, error)))
      return FALSE;
    if (!ms_filter_run_bands(&self->levels[i], error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
run_locked(Run *self, GError **error)
{
  ms_context_lock_kernels(self->context);
  gboolean good = run_kernels(self, error);
  ms_context_unlock_kernels(self->context);
  return good;
}

static gboolean
run_and_transfer(Run *self, const MsFilterRun *run, GError **error)
{
  const MsRegion *region = &run->launch.plan->request.region;
  const MsPyramidSize size = size_of(run);
  const MsFilterBuffers *b = run->launch.buffers;
  gint64 start = g_get_monotonic_time();

  if (!ms_context_upload(self->context, &(MsBufferRange){b->source.mem, 0, (gsize)size.width * size.height * 4},
                         run->source, self->log, error) ||
      !run_locked(self, error) ||
      !ms_context_download(self->context, &(MsBufferRange){b->result.mem, 0, (gsize)region->width * region->height * 4},
                           run->pixels, self->log, error))
    return FALSE;
  if (self->log)
    ms_timing_log_add_filter_span(self->log, start);
  return TRUE;
}

/**
 * ms_filter_levels_run: computes all of the plan's region into the pixels of @run: the picture is uploaded once, halved
 * level by level, and each level is filtered where the result of the one above has edges, as in
 * cv::pyrMeanShiftFiltering(). Levels above the picture are computed whole, whatever the region.
 */
gboolean
ms_filter_levels_run(MsFilterLevels *self, const MsFilterRun *run, GError **error)
{
  Run levels = {.context = run->launch.context, .log = run->launch.log};
  gboolean good;

  init_levels(&levels, self, run);
  good = prepare(&levels, error) && run_and_transfer(&levels, run, error);
  for (guint i = 0; i < levels.n; i++)
    ms_filter_launch_release_kernels(&levels.levels[i].launch);
  for (guint i = 0; i < N_STEPS; i++)
    g_clear_pointer(&levels.steps[i], clReleaseKernel);
  return good;
}

/** ms_filter_levels_release: frees the memory; the structure can be used again. */
void
ms_filter_levels_release(MsFilterLevels *self)
{
  for (guint i = 0; i < MS_LEVELS_MAX; i++)
    ms_filter_buffers_release(&self->above[i]);
}
