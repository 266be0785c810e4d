/* SPDX-License-Identifier: MIT */
#include "core/filter/mean-shift-pipeline.h"

/* The state that the lanes of one run share. */
typedef struct {
  const MsFilterRun *common;
  GMutex lock;     /* guards the two members below */
  int taken;       /* rows of the region that lanes have taken */
  gboolean failed; /* a lane failed, so the others take no more stripes */
  int done;        /* rows of the region that are computed; guarded by ms_context_lock_kernels() */
} Pipeline;

/* One further queue on the device, with its own buffers and pinned memory. */
typedef struct {
  MsContext *context;
  MsFilterBuffers buffers;
} Lane;

/* The arguments of the thread of one lane. */
typedef struct {
  Pipeline *pipeline;
  MsFilterRun run;
  GError *error;
} LaneRun;

static void
free_lane(gpointer data)
{
  Lane *self = data;

  ms_filter_buffers_release(&self->buffers);
  g_object_unref(self->context);
  g_free(self);
}

/** ms_filter_lanes_new: (transfer full): an empty list of further queues, which ms_filter_run_in_lanes() fills. */
GPtrArray *
ms_filter_lanes_new(void)
{
  return g_ptr_array_new_with_free_func(free_lane);
}

static gboolean
take_stripe(Pipeline *self, MsRows *stripe)
{
  const MsPlan *plan = self->common->launch.plan;
  MsRows whole = {plan->request.region.y, plan->request.region.height};

  g_mutex_lock(&self->lock);
  gboolean any = !self->failed && self->taken < whole.count;
  if (any) {
    *stripe = ms_bands_next(whole, self->taken, plan->stripe_rows);
    self->taken += stripe->count;
  }
  g_mutex_unlock(&self->lock);
  return any;
}

static void
stop_others(Pipeline *self)
{
  g_mutex_lock(&self->lock);
  self->failed = TRUE;
  g_mutex_unlock(&self->lock);
}

static gpointer
run_lane(gpointer data)
{
  LaneRun *lane = data;
  MsRows stripe;
  gboolean good = ms_filter_launch_create_kernels(&lane->run.launch, &lane->error);

  while (good && take_stripe(lane->pipeline, &stripe))
    good = ms_filter_run_stripe(&lane->run, stripe, &lane->error);
  /* Here rather than by the caller, since a driver takes as long for the times as for a stripe. */
  good = good && (!lane->run.launch.log || ms_timing_log_resolve(lane->run.launch.log, &lane->error));
  if (!good)
    stop_others(lane->pipeline);
  ms_filter_launch_release_kernels(&lane->run.launch);
  return NULL;
}

/* Opens missing lanes; if the device provides no more queues, fewer lanes are used. */
static guint
open_lanes(GPtrArray *lanes, MsContext *context, guint wanted)
{
  while (lanes->len + 1 < wanted) {
    g_autoptr(MsContext) sibling = ms_context_new_sibling(context, NULL);
    Lane *lane;

    if (!sibling)
      break;
    lane = g_new0(Lane, 1);
    lane->context = g_steal_pointer(&sibling);
    g_ptr_array_add(lanes, lane);
  }
  return MIN(wanted, lanes->len + 1);
}

/* The first lane is the filter's own queue. */
static void
init_lane_run(LaneRun *self, Pipeline *pipeline, Lane *lane)
{
  MsTimingLog *log = pipeline->common->launch.log;

  self->pipeline = pipeline;
  self->run = *pipeline->common;
  self->run.launch.log = log ? ms_timing_log_new() : NULL;
  self->run.rows_done = &pipeline->done;
  if (!lane)
    return;
  self->run.launch.context = lane->context;
  self->run.launch.buffers = &lane->buffers;
}

static void
run_lanes(LaneRun *lanes, guint n)
{
  g_autofree GThread **threads = g_new0(GThread *, n);

  for (guint i = 1; i < n; i++)
    threads[i] = g_thread_try_new("ms-lane", run_lane, &lanes[i], NULL);
  run_lane(&lanes[0]);
  for (guint i = 1; i < n; i++)
    if (threads[i])
      g_thread_join(threads[i]);
}

/* Appends the lane's times to the caller's log and passes on the first error. */
static gboolean
close_lane(LaneRun *lane, gboolean good, GError **error)
{
  MsTimingLog *log = lane->pipeline->common->launch.log;

  if (!lane->error && lane->run.launch.log)
    ms_timing_log_append(log, lane->run.launch.log);
  g_clear_object(&lane->run.launch.log);
  if (!lane->error)
    return TRUE;
  if (good)
    g_propagate_error(error, g_steal_pointer(&lane->error));
  g_clear_error(&lane->error);
  return FALSE;
}

/**
 * ms_filter_run_in_lanes:
 * @lanes: from ms_filter_lanes_new(); kept by the caller between runs
 *
 * Computes the plan's region into the pixels of the run with the plan's number of lanes: while the kernels of one
 * stripe run, the next stripe is uploaded and the previous one downloaded. The result does not depend on the number of
 * lanes.
 */
gboolean
ms_filter_run_in_lanes(const MsFilterRun *common, GPtrArray *lanes, GError **error)
{
  Pipeline pipeline = {.common = common};
  const guint n = open_lanes(lanes, common->launch.context, common->launch.plan->lanes);
  g_autofree LaneRun *runs = g_new0(LaneRun, n);
  gboolean good = TRUE;

  g_mutex_init(&pipeline.lock);
  for (guint i = 0; i < n; i++)
    init_lane_run(&runs[i], &pipeline, i == 0 ? NULL : g_ptr_array_index(lanes, i - 1));
  run_lanes(runs, n);
  for (guint i = 0; i < n; i++)
    good = close_lane(&runs[i], good, error) && good;
  g_mutex_clear(&pipeline.lock);
  return good;
}
