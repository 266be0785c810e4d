/* SPDX-License-Identifier: MIT */
/*
 * Computes tile after tile on three queues of one device: while the kernels of one tile run, the next ones are uploaded
 * and the previous ones downloaded. Threads copy between the caller's and pinned memory, unless the caller's is pinned;
 * the thread of the caller launches kernels. A few tiles have memory on the device at once, and take turns at it. The
 * result does not depend on the tiles.
 */
#include "core/filter/mean-shift-private.h"
#include "core/opencl/transfers.h"

/* Tiles whose kernels may be enqueued at once: one runs while the next is enqueued, and cancelling waits for both. */
#define ENQUEUED 2

/* Some rows of the result; the events, each NULL until the command is enqueued, are guarded by the lock of the run. */
typedef struct {
  MsRows rows;
  MsRows held;
  MsFilterBuffers *buffers;
  cl_event uploaded;
  cl_event computed;
  cl_event downloaded;
} Tile;

typedef struct {
  MsFilterRun *run;
  Tile *tiles;
  MsStagedPart *up;
  MsStagedPart *down;
  guint n;
  guint depth;
  GMutex lock; /* guards @failed and the events */
  GCond changed;
  gboolean failed;
} Overlap;

/** ms_lane_release_further: closes the further queues and releases the memory that one tile at a time does not need. */
void
ms_lane_release_further(MsLane *self)
{
  for (guint i = 1; i < G_N_ELEMENTS(self->slots); i++)
    ms_filter_buffers_release(&self->slots[i]);
  g_clear_pointer(&self->up, ms_context_unref);
  g_clear_pointer(&self->down, ms_context_unref);
}

static gboolean
open_queues(MsLane *self, MsContext *context, GError **error)
{
  if (!self->up)
    self->up = ms_context_new_sibling(context, NULL);
  if (!self->down)
    self->down = ms_context_new_sibling(context, NULL);
  if (!self->up || !self->down)
    ms_set_error_literal(error, MS_ERROR_MEMORY, "The device provides no further queues.");
  return self->up && self->down;
}

static void
give_up(gpointer data)
{
  Overlap *overlap = data;

  g_mutex_lock(&overlap->lock);
  overlap->failed = TRUE;
  g_cond_broadcast(&overlap->changed);
  g_mutex_unlock(&overlap->lock);
}

/* Lets those that wait for this event of a tile go on. */
static void
put_event(Overlap *overlap, cl_event *of_tile, cl_event event)
{
  clRetainEvent(event);
  g_mutex_lock(&overlap->lock);
  *of_tile = event;
  g_cond_broadcast(&overlap->changed);
  g_mutex_unlock(&overlap->lock);
}

/* (transfer full): an event of a tile, once it exists; %NULL after a failure, or at once without @wait. */
static cl_event
take_event(Overlap *overlap, const cl_event *of_tile, gboolean wait)
{
  cl_event event = NULL;

  g_mutex_lock(&overlap->lock);
  while (wait && !*of_tile && !overlap->failed)
    g_cond_wait(&overlap->changed, &overlap->lock);
  if (!overlap->failed && *of_tile) {
    event = *of_tile;
    clRetainEvent(event);
  }
  g_mutex_unlock(&overlap->lock);
  return event;
}

static void
on_upload_enqueued(guint tile, cl_event last, gpointer data)
{
  Overlap *overlap = data;

  put_event(overlap, &overlap->tiles[tile].uploaded, last);
}

static void
on_download_enqueued(guint tile, cl_event last, gpointer data)
{
  Overlap *overlap = data;

  put_event(overlap, &overlap->tiles[tile].downloaded, last);
}

/* A tile is uploaded once the kernels of the tile that had its memory before have read that. */
static gboolean
memory_is_read(guint tile, gboolean wait, cl_event *after, gpointer data)
{
  Overlap *overlap = data;

  if (tile < overlap->depth)
    return TRUE;
  *after = take_event(overlap, &overlap->tiles[tile - overlap->depth].computed, wait);
  return *after != NULL;
}

static gboolean
is_computed(guint tile, gboolean wait, cl_event *after, gpointer data)
{
  Overlap *overlap = data;

  *after = take_event(overlap, &overlap->tiles[tile].computed, wait);
  return *after != NULL;
}

static void
use_tile(MsFilterRun *run, const Tile *tile)
{
  run->tile = run->band = tile->rows;
  run->held = tile->held;
  run->buffers = tile->buffers;
}

/* Provides the memory of all tiles that are under way at once, each as large as the largest tile needs. */
static gboolean
reserve_slots(MsFilterRun *run, MsLane *lane, MsRows whole, GError **error)
{
  const MsPlan *plan = run->plan;

  for (guint i = 0; i < plan->depth; i++) {
    run->tile = run->band = ms_bands_next(whole, 0, plan->tile_rows);
    run->held = (MsRows){0, MIN(plan->request.height, run->tile.count + 2 * plan->halo)};
    run->buffers = &lane->slots[i];
    if (!ms_filter_run_reserve(run, error))
      return FALSE;
  }
  return TRUE;
}

static void
cut(Overlap *overlap, MsLane *lane, MsRows whole)
{
  const MsFilterRun *run = overlap->run;
  const MsPlanRequest *q = &run->plan->request;
  const gsize row = (gsize)q->width * 4, result_row = (gsize)q->region.width * 4;
  const guint most = (guint)((whole.count + run->plan->tile_rows - 1) / run->plan->tile_rows);

  overlap->tiles = g_new0(Tile, most);
  overlap->up = g_new(MsStagedPart, most);
  overlap->down = g_new(MsStagedPart, most);
  for (int done = 0; done < whole.count; done += overlap->tiles[overlap->n++].rows.count) {
    const guint i = overlap->n;
    Tile *tile = &overlap->tiles[i];
    tile->rows = ms_bands_next(whole, done, run->plan->tile_rows);
    tile->held = ms_bands_with_halo(tile->rows, run->plan->halo, q->height);
    tile->buffers = &lane->slots[i % overlap->depth];
    overlap->up[i] = (MsStagedPart){tile->buffers->source.mem, 0, (gsize)tile->held.count * row,
                                    (guint8 *)run->source + (gsize)tile->held.first * row};
    overlap->down[i] = (MsStagedPart){tile->buffers->result.mem, 0, (gsize)tile->rows.count * result_row,
                                      run->pixels + (gsize)(tile->rows.first - q->region.y) * result_row};
  }
}

/* The kernels of the tile wait for its upload, and for the download of the result that stands in its memory. */
static gboolean
wait_for_transfers(Overlap *overlap, guint index, GError **error)
{
  MsContext *context = overlap->run->context;
  g_auto(cl_event) uploaded = take_event(overlap, &overlap->tiles[index].uploaded, TRUE), downloaded = NULL;

  if (index >= overlap->depth)
    downloaded = take_event(overlap, &overlap->tiles[index - overlap->depth].downloaded, TRUE);
  if (!uploaded || (index >= overlap->depth && !downloaded)) {
    g_set_error_literal(error, G_IO_ERROR, G_IO_ERROR_CANCELLED, "The transfer failed.");
    return FALSE;
  }
  return ms_context_wait_for(context, uploaded, error) &&
         (!downloaded || ms_context_wait_for(context, downloaded, error));
}

static gboolean
launch(Overlap *overlap, guint index, GError **error)
{
  MsFilterRun *run = overlap->run;
  g_auto(cl_event) computed = NULL;

  use_tile(run, &overlap->tiles[index]);
  if (!wait_for_transfers(overlap, index, error) || !ms_filter_run_launch(run, MS_GRID_SOURCE, error) ||
      !ms_filter_run_enqueue_bands(run, error) || !ms_context_mark(run->context, &computed, error))
    return FALSE;
  put_event(overlap, &overlap->tiles[index].computed, computed);
  return TRUE;
}

/* Waits for the kernels of a tile and reports its rows. */
static gboolean
follow(Overlap *overlap, const Tile *tile, GError **error)
{
  MsFilterRun *run = overlap->run;

  if (!ms_cl_check(clWaitForEvents(1, &tile->computed), error, "waiting for the device"))
    return FALSE;
  use_tile(run, tile);
  ms_filter_run_report(run);
  return TRUE;
}

static gboolean
launch_all(Overlap *overlap, GError **error)
{
  const MsJob *job = overlap->run->job;

  for (guint i = 0; i < overlap->n + ENQUEUED; i++) {
    if (i >= ENQUEUED && !follow(overlap, &overlap->tiles[i - ENQUEUED], error))
      return FALSE;
    if (i < overlap->n && (g_cancellable_set_error_if_cancelled(job->cancellable, error) || !launch(overlap, i, error)))
      return FALSE;
  }
  return TRUE;
}

/* Keeps the first failure that is not only the consequence of another one. */
static void
keep_error(GError **kept, GError *error)
{
  const gboolean is_consequence = g_error_matches(*kept, G_IO_ERROR, G_IO_ERROR_CANCELLED) &&
                                  !g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED);

  if (!*kept || is_consequence) {
    g_clear_error(kept);
    *kept = error;
  } else {
    g_clear_error(&error);
  }
}

/* Uploads, computes and downloads all tiles; afterwards no queue works on them. */
static gboolean
run_tiles(Overlap *overlap, const MsLane *lane, MsTimingLog *log, GError **error)
{
  const MsStagedWork up = {.upload = TRUE,
                           .parts = overlap->up,
                           .n_parts = overlap->n,
                           .ready = memory_is_read,
                           .enqueued = on_upload_enqueued,
                           .failed = give_up,
                           .data = overlap};
  const MsStagedWork down = {.parts = overlap->down,
                             .n_parts = overlap->n,
                             .ready = is_computed,
                             .enqueued = on_download_enqueued,
                             .failed = give_up,
                             .data = overlap};
  MsStagedTransfer *upload = ms_context_start_transfer(lane->up, &up);
  MsStagedTransfer *download = upload ? ms_context_start_transfer(lane->down, &down) : NULL;
  MsTimingLog *kernels = overlap->run->log;
  GError *failure = NULL, *other = NULL;

  if (!download)
    ms_set_error_literal(&failure, MS_ERROR_MEMORY, "No thread or pinned memory can be had for the transfers.");
  else
    launch_all(overlap, &failure);
  if (failure)
    give_up(overlap);
  if (upload && !ms_staged_transfer_end(upload, log, &other))
    keep_error(&failure, g_steal_pointer(&other));
  if (log && !failure && ms_timing_log_resolve(kernels, &failure))
    ms_timing_log_append(log, kernels);
  if (download && !ms_staged_transfer_end(download, log, &other))
    keep_error(&failure, g_steal_pointer(&other));
  if (failure)
    (void)clFinish(overlap->run->context->queue);
  if (!failure)
    return TRUE;
  g_propagate_error(error, failure);
  return FALSE;
}

static void
clear_overlap(Overlap *self)
{
  for (guint i = 0; i < self->n; i++) {
    g_clear_pointer(&self->tiles[i].uploaded, clReleaseEvent);
    g_clear_pointer(&self->tiles[i].computed, clReleaseEvent);
    g_clear_pointer(&self->tiles[i].downloaded, clReleaseEvent);
  }
  g_free(self->tiles);
  g_free(self->up);
  g_free(self->down);
  g_mutex_clear(&self->lock);
  g_cond_clear(&self->changed);
}

/**
 * ms_lane_run:
 * @run: of a plan with a depth above 1, with its kernels created
 *
 * Uploads, computes and downloads the region. The log gets one row for all uploads, one for each launch, one for all
 * downloads.
 *
 * Returns: %FALSE with #MS_ERROR_MEMORY where queues, threads or memory are lacking, or as ms_filter_run() does
 */
gboolean
ms_lane_run(MsLane *self, const MsFilterRun *run, GError **error)
{
  const MsRows whole = {run->plan->request.region.y, run->plan->request.region.height};
  const gint64 start = g_get_monotonic_time();
  g_autoptr(MsTimingLog) kernels = run->log ? ms_timing_log_new() : NULL;
  MsFilterRun own = *run;
  Overlap overlap = {.run = &own, .depth = run->plan->depth};

  own.log = kernels;
  g_mutex_init(&overlap.lock);
  g_cond_init(&overlap.changed);
  ms_context_lock_kernels(run->context);
  gboolean good = open_queues(self, run->context, error) && reserve_slots(&own, self, whole, error);
  if (good) {
    cut(&overlap, self, whole);
    good = run_tiles(&overlap, self, run->log, error);
  }
  ms_context_unlock_kernels(run->context);
  clear_overlap(&overlap);
  if (good && run->log)
    ms_timing_log_add_filter_span(run->log, start);
  return good;
}
