/* SPDX-License-Identifier: MIT */
#include "core/filter/mean-shift-levels.h"

#include "core/filter/mean-shift-level-steps.h"
#include "core/filter/mean-shift-level-stripes.h"

/* One run: the kernels between levels, and the runs of the levels from the picture on. */
typedef struct {
  MsLevelSteps steps;
  guint n;
  MsFilterRun levels[MS_LEVELS_MAX + 1];
} Run;

/* The whole of a level, whose pixels are its source or its result. */
static MsLevelPixels
pixels_of(const MsFilterRun *level, const MsDeviceBuffer *pixels)
{
  const MsPlanRequest *q = &level->launch.plan->request;

  return (MsLevelPixels){pixels->mem, level->launch.buffers->modes.mem, {{q->width, q->height, 0, q->height}}};
}

static gboolean
halve(Run *self, guint level, GError **error)
{
  const MsFilterRun *fine = &self->levels[level], *coarse = fine + 1;
  const MsLevelPixels from = pixels_of(fine, &fine->launch.buffers->source);
  const MsLevelPixels to = pixels_of(coarse, &coarse->launch.buffers->source);

  return ms_level_steps_halve(&self->steps, &from, &to, error);
}

static gboolean
start(Run *self, guint level, GError **error)
{
  const MsFilterRun *coarse = &self->levels[level + 1];
  const MsLevelPixels coarser = pixels_of(coarse, &coarse->launch.buffers->result);

  return ms_level_steps_start(&self->steps, &coarser, &self->levels[level].launch, error);
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
prepare(Run *self, GError **error)
{
  if (!ms_level_steps_create_kernels(&self->steps, error))
    return FALSE;
  for (guint i = 0; i < self->n; i++) {
    MsFilterLaunch *l = &self->levels[i].launch;
    if (!ms_filter_buffers_reserve(l->buffers, l->context, l->plan, (MsStripeRows){l->held.count, l->stripe.count},
                                   error) ||
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
    if (i + 1 < self->n && !start(self, i, error))
      return FALSE;
    if (!ms_filter_run_bands(&self->levels[i], error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
run_locked(Run *self, GError **error)
{
  ms_context_lock_kernels(self->steps.context);
  gboolean good = run_kernels(self, error);
  ms_context_unlock_kernels(self->steps.context);
  return good;
}

static gboolean
run_and_transfer(Run *self, GError **error)
{
  MsFilterRun *picture = &self->levels[0];
  gint64 begin = g_get_monotonic_time();

  if (!ms_filter_run_upload(picture, error) || !run_locked(self, error) || !ms_filter_run_download(picture, error))
    return FALSE;
  if (self->steps.log)
    ms_timing_log_add_filter_span(self->steps.log, begin);
  return TRUE;
}

static gboolean
run_whole(MsFilterLevels *self, const MsFilterRun *run, GError **error)
{
  Run levels = {.steps = {.context = run->launch.context, .log = run->launch.log}};
  gboolean good;

  init_levels(&levels, self, run);
  good = prepare(&levels, error) && run_and_transfer(&levels, error);
  for (guint i = 0; i < levels.n; i++)
    ms_filter_launch_release_kernels(&levels.levels[i].launch);
  ms_level_steps_release_kernels(&levels.steps);
  return good;
}

/* The level above that of @run, with memory of the device that it releases. */
static gboolean
run_coarser(const MsFilterRun *run, GError **error)
{
  MsFilterBuffers buffers = {0};
  MsFilterLevels levels = {0};
  MsFilterRun above = *run;
  gboolean good;

  above.launch.buffers = &buffers;
  good = above.launch.plan->coarser ? ms_filter_levels_run(&levels, &above, error) : ms_filter_run(&above, error);
  ms_filter_buffers_release(&buffers);
  ms_filter_levels_release(&levels);
  return good;
}

/**
 * ms_filter_levels_run: computes all of the plan's region into the pixels of @run: the picture is uploaded once, halved
 * level by level, and each level is filtered where the result of the one above has edges, as in
 * cv::pyrMeanShiftFiltering(). Levels above the picture are computed whole, whatever the region. A level that the plan
 * cuts into stripes gets the one above from the host's memory.
 */
gboolean
ms_filter_levels_run(MsFilterLevels *self, const MsFilterRun *run, GError **error)
{
  if (!run->launch.plan->in_stripes)
    return run_whole(self, run, error);
  ms_filter_levels_release(self);
  return ms_filter_level_stripes_run(run, run_coarser, error);
}

/** ms_filter_levels_release: frees the memory; the structure can be used again. */
void
ms_filter_levels_release(MsFilterLevels *self)
{
  for (guint i = 0; i < MS_LEVELS_MAX; i++)
    ms_filter_buffers_release(&self->above[i]);
}
