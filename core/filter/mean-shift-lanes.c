/* SPDX-License-Identifier: MIT */
/*
 * Runs the stripes of one image on several queues ("lanes") of one device, so that transfers overlap kernels: while the
 * kernels of one stripe run, the next stripe is uploaded and the previous one downloaded. The result does not depend on
 * the number of lanes.
 */
#include "core/filter/mean-shift-private.h"

/* The state that the lanes of one run share. */
typedef struct {
  GMutex lock;     /* guards the two members below */
  int taken;       /* rows of the region that lanes have taken */
  gboolean failed; /* a lane failed, so the others take no more stripes */
  int done;        /* rows of the region that are computed; guarded by ms_context_lock_kernels() */
} Shared;

/* One further queue on the device, with its own buffers and pinned memory. */
typedef struct {
  MsContext *context;
  MsFilterBuffers buffers;
} Lane;

/* The arguments of the thread of one lane. */
typedef struct {
  Shared *shared;
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

/** ms_filter_lanes_new: (transfer full): an empty list of further queues, which ms_filter_lanes_run() fills. */
GPtrArray *
ms_filter_lanes_new(void)
{
  return g_ptr_array_new_with_free_func(free_lane);
}

static gboolean
take_stripe(LaneRun *self, MsRows *stripe)
{
  const MsPlan *plan = self->run.plan;
  MsRows whole = {plan->request.region.y, plan->request.region.height};
  Shared *shared = self->shared;

  g_mutex_lock(&shared->lock);
  gboolean any = !shared->failed && shared->taken < whole.count;
  if (any) {
    *stripe = ms_bands_next(whole, shared->taken, plan->stripe_rows);
    shared->taken += stripe->count;
  }
  g_mutex_unlock(&shared->lock);
  return any;
}

static gpointer
run_lane(gpointer data)
{
  LaneRun *self = data;
  MsRows stripe;
  gboolean good = ms_filter_run_create_kernels(&self->run, &self->error);

  while (good && take_stripe(self, &stripe))
    good = ms_filter_run_stripe(&self->run, stripe, &self->error);
  /* Here rather than by the caller, since a driver takes as long for the times as for a stripe. */
  good = good && (!self->run.log || ms_timing_log_resolve(self->run.log, &self->error));
  if (!good) {
    g_mutex_lock(&self->shared->lock);
    self->shared->failed = TRUE;
    g_mutex_unlock(&self->shared->lock);
  }
  ms_filter_run_release_kernels(&self->run);
  return NULL;
}

/* Opens missing lanes; if the device provides no more queues, fewer lanes are used. */
static guint
open_lanes(GPtrArray *lanes, MsContext *context, guint wanted)
{
  while (lanes->len + 1 < wanted) {
    MsContext *sibling = ms_context_new_sibling(context, NULL);
    Lane *lane;

    if (!sibling)
      break;
    lane = g_new0(Lane, 1);
    lane->context = sibling;
    g_ptr_array_add(lanes, lane);
  }
  return MIN(wanted, lanes->len + 1);
}

static void
run_threads(LaneRun *lanes, guint n)
{
  g_autofree GThread **threads = g_new0(GThread *, n);

  for (guint i = 1; i < n; i++)
    threads[i] = g_thread_try_new("ms-lane", run_lane, &lanes[i], NULL);
  run_lane(&lanes[0]);
  for (guint i = 1; i < n; i++)
    if (threads[i])
      g_thread_join(threads[i]);
}

/**
 * ms_filter_lanes_run:
 * @self: from ms_filter_lanes_new(); kept by the caller between runs
 * @run: of a plan with several lanes; the first of them is its own queue
 *
 * Computes the plan's region into the pixels of the run, with the lanes' times in its log.
 */
gboolean
ms_filter_lanes_run(GPtrArray *self, const MsFilterRun *run, GError **error)
{
  Shared shared = {.taken = 0};
  const guint n = open_lanes(self, run->context, run->plan->lanes);
  g_autofree LaneRun *lanes = g_new0(LaneRun, n);
  gboolean good = TRUE;

  g_mutex_init(&shared.lock);
  for (guint i = 0; i < n; i++) {
    lanes[i] = (LaneRun){&shared, *run, NULL};
    lanes[i].run.log = run->log ? ms_timing_log_new() : NULL;
    lanes[i].run.rows_done = &shared.done;
    if (i > 0) {
      Lane *further = g_ptr_array_index(self, i - 1);
      lanes[i].run.context = further->context;
      lanes[i].run.buffers = &further->buffers;
    }
  }
  run_threads(lanes, n);
  for (guint i = 0; i < n; i++) {
    if (!lanes[i].error && run->log)
      ms_timing_log_append(run->log, lanes[i].run.log);
    if (lanes[i].error) {
      if (good)
        g_propagate_error(error, g_steal_pointer(&lanes[i].error));
      g_clear_error(&lanes[i].error);
      good = FALSE;
    }
    g_clear_object(&lanes[i].run.log);
  }
  g_mutex_clear(&shared.lock);
  return good;
}
