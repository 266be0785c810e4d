/* SPDX-License-Identifier: MIT */
#include "core/filter/mean-shift-pipeline.h"

/* What the lanes of one run share. */
typedef struct {
  const MsFilterRun *common;
  GMutex lock;     /* of the two members below */
  int taken;       /* rows of the region that lanes have taken */
  gboolean failed; /* a lane failed, so the others take no more stripes */
  int done;        /* rows of the region that are computed; under the lock of the device's kernels */
} Pipeline;

/* One thread with its filter: a queue, device buffers and pinned memory. */
typedef struct {
  Pipeline *pipeline;
  MsFilterRun run;
  GError *error;
} Lane;

static gboolean
take_stripe(Pipeline *self, MsRows *stripe)
{
  const MsPlan *plan = self->common->plan;
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
  Lane *lane = data;
  gboolean good = ms_filter_run_create_kernels(&lane->run, &lane->error);

  while (good && take_stripe(lane->pipeline, &lane->run.stripe))
    good = ms_filter_run_stripe(&lane->run, &lane->error);
  if (!good)
    stop_others(lane->pipeline);
  ms_filter_run_release_kernels(&lane->run);
  return NULL;
}

/* The filters of the further lanes are made once and kept; a device that gives no more queues has fewer lanes. */
static guint
open_lanes(MsMeanShift *self, guint wanted)
{
  while (self->lanes->len + 1 < wanted) {
    g_autoptr(MsContext) sibling = ms_context_new_sibling(self->context, NULL);
    if (!sibling)
      break;
    g_ptr_array_add(self->lanes, ms_mean_shift_new(sibling));
  }
  return MIN(wanted, self->lanes->len + 1);
}

static void
init_lane(Lane *lane, Pipeline *pipeline, guint index)
{
  const MsFilterRun *common = pipeline->common;

  lane->pipeline = pipeline;
  lane->run = *common;
  lane->run.self = index == 0 ? common->self : g_ptr_array_index(common->self->lanes, index - 1);
  lane->run.log = common->log ? ms_timing_log_new() : NULL;
  lane->run.rows_done = &pipeline->done;
}

static void
run_lanes(Lane *lanes, guint n)
{
  g_autofree GThread **threads = g_new0(GThread *, n);

  for (guint i = 1; i < n; i++)
    threads[i] = g_thread_try_new("ms-lane", run_lane, &lanes[i], NULL);
  run_lane(&lanes[0]);
  for (guint i = 1; i < n; i++)
    if (threads[i])
      g_thread_join(threads[i]);
}

/* Moves the lane's times to the caller's log and its error, if it is the first, to the caller. */
static gboolean
close_lane(Lane *lane, gboolean good, GError **error)
{
  MsTimingLog *log = lane->pipeline->common->log;

  if (!lane->error && lane->run.log && ms_timing_log_resolve(lane->run.log, &lane->error))
    ms_timing_log_append(log, lane->run.log);
  g_clear_object(&lane->run.log);
  if (!lane->error)
    return TRUE;
  if (good)
    g_propagate_error(error, g_steal_pointer(&lane->error));
  g_clear_error(&lane->error);
  return FALSE;
}

/**
 * ms_filter_run_pipeline: all of the plan's region into the pixels of the run, by the plan's number of lanes: while the
 * kernels of one stripe run, the next is uploaded and the last downloaded. The picture does not depend on the lanes.
 */
gboolean
ms_filter_run_pipeline(const MsFilterRun *common, GError **error)
{
  Pipeline pipeline = {.common = common};
  const guint n = open_lanes(common->self, common->plan->lanes);
  g_autofree Lane *lanes = g_new0(Lane, n);
  gboolean good = TRUE;

  g_mutex_init(&pipeline.lock);
  for (guint i = 0; i < n; i++)
    init_lane(&lanes[i], &pipeline, i);
  run_lanes(lanes, n);
  for (guint i = 0; i < n; i++)
    good = close_lane(&lanes[i], good, error) && good;
  g_mutex_clear(&pipeline.lock);
  return good;
}
