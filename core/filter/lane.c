/* SPDX-License-Identifier: MIT */
/*
 * Computes tile after tile on three queues of one device: while the kernels of one tile run, the next ones are uploaded
 * and the previous ones downloaded. The thread that uploads takes the tiles from the list, which other devices take
 * from as well. Threads copy between the caller's and pinned memory, unless the caller's is pinned; the thread of the
 * caller launches kernels. A few tiles have memory on the device at once, and take turns at it. The result does not
 * depend on the tiles.
 */
#include "core/filter/mean-shift-private.h"
#include "core/opencl/transfers.h"

/* Tiles whose kernels may be enqueued at once: one runs while the next is enqueued, and cancelling waits for both. */
#define ENQUEUED 2

/*
 * Some rows of the result. The lock of the run guards the events, each NULL until the command is enqueued, and whether
 * the result is in the memory of the host.
 */
typedef struct {
  MsRows rows;
  MsRows held;
  guint8 *pixels;
  gboolean is_done;
  MsFilterBuffers *buffers;
  cl_event uploaded;
  cl_event computed;
  cl_event downloaded;
} Tile;

/*
 * @n: tiles that were taken from the list
 * @most: that can be taken
 * @lock: guards @n, @ended, @failed and the events
 * @ended: there are no further tiles
 */
typedef struct {
  MsFilterRun *run;
  MsFilterBuffers *slots;
  Tile *tiles;
  guint n;
  guint most;
  guint depth;
  GMutex lock;
  GCond changed;
  gboolean ended;
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
give_tiles_up(gpointer data)
{
  Overlap *overlap = data;

  g_mutex_lock(&overlap->lock);
  overlap->failed = TRUE;
  g_cond_broadcast(&overlap->changed);
  g_mutex_unlock(&overlap->lock);
  ms_tiles_give_up(overlap->run->tiles, overlap->run->device, TRUE);
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

/* Called for a stream, whose tile is written by the thread that brought its last bytes. */
static void
on_arrived(guint index, gpointer data)
{
  Overlap *overlap = data;
  Tile *tile = &overlap->tiles[index];

  g_mutex_lock(&overlap->lock);
  tile->is_done = TRUE;
  g_mutex_unlock(&overlap->lock);
  if (!ms_tiles_finish(overlap->run->tiles, tile->rows, tile->pixels, NULL))
    give_tiles_up(overlap);
}

/* Whether there is a tile of this number; @wait: waits until that is known. */
static MsStagedNext
find_tile(Overlap *overlap, guint index, gboolean wait)
{
  MsStagedNext found = MS_STAGED_LATER;

  g_mutex_lock(&overlap->lock);
  while (wait && index >= overlap->n && !overlap->ended && !overlap->failed)
    g_cond_wait(&overlap->changed, &overlap->lock);
  if (overlap->failed)
    found = MS_STAGED_GIVEN_UP;
  else if (index < overlap->n)
    found = MS_STAGED_PART;
  else if (overlap->ended)
    found = MS_STAGED_END;
  g_mutex_unlock(&overlap->lock);
  return found;
}

/* Takes the next tile from the list. */
static MsStagedNext
take_tile(Overlap *overlap)
{
  const MsFilterRun *run = overlap->run;
  Tile *tile = &overlap->tiles[overlap->n];
  const gboolean taken =
    overlap->n < overlap->most && ms_tiles_take(run->tiles, run->device, run->plan->tile_rows, &tile->rows);

  if (taken) {
    tile->held = ms_bands_with_halo(tile->rows, run->plan->halo, run->plan->request.height);
    tile->buffers = &overlap->slots[overlap->n % overlap->depth];
  }
  if (taken && !ms_tiles_prepare(run->tiles, tile->rows, tile->held, &tile->pixels, NULL))
    return MS_STAGED_GIVEN_UP;
  g_mutex_lock(&overlap->lock);
  overlap->n += taken;
  overlap->ended = !taken;
  g_cond_broadcast(&overlap->changed);
  g_mutex_unlock(&overlap->lock);
  return taken ? MS_STAGED_PART : MS_STAGED_END;
}

/*
 * The thread that uploads takes tiles. One more than there is memory for may be copied ahead; the others stay on the
 * list for the device that is free first. Of a stream, which may have to wait until others are written, all before are
 * enqueued first.
 */
static MsStagedNext
next_upload(guint index, gboolean wait, MsStagedPart *part, gpointer data)
{
  Overlap *overlap = data;
  const MsFilterRun *run = overlap->run;
  const gsize row = (gsize)run->plan->request.width * 4;

  if (!wait && ms_tiles_is_stream(run->tiles))
    return MS_STAGED_LATER;
  if (index > overlap->depth) {
    g_auto(cl_event) computed = take_event(overlap, &overlap->tiles[index - overlap->depth - 1].computed, wait);
    if (!computed)
      return wait ? MS_STAGED_GIVEN_UP : MS_STAGED_LATER;
  }
  const MsStagedNext found = take_tile(overlap);
  if (found != MS_STAGED_PART)
    return found;
  const Tile *tile = &overlap->tiles[index];
  *part = (MsStagedPart){tile->buffers->source.mem, 0, (gsize)tile->held.count * row,
                         (guint8 *)run->source + (gsize)tile->held.first * row};
  return MS_STAGED_PART;
}

static MsStagedNext
next_download(guint index, gboolean wait, MsStagedPart *part, gpointer data)
{
  Overlap *overlap = data;
  const MsFilterRun *run = overlap->run;
  const gsize row = (gsize)run->plan->request.region.width * 4;
  const MsStagedNext found = find_tile(overlap, index, wait);

  if (found != MS_STAGED_PART)
    return found;
  const Tile *tile = &overlap->tiles[index];
  *part = (MsStagedPart){tile->buffers->result.mem, 0, (gsize)tile->rows.count * row, tile->pixels};
  return MS_STAGED_PART;
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
  run->pixels = tile->pixels;
  run->buffers = tile->buffers;
}

/* Provides the memory of all tiles that are under way at once, each as large as the largest tile needs. */
static gboolean
reserve_slots(MsFilterRun *run, MsLane *lane, GError **error)
{
  const MsPlan *plan = run->plan;

  run->tile = run->band = (MsRows){0, plan->tile_rows};
  run->held = (MsRows){0, MIN(plan->request.height, plan->tile_rows + 2 * plan->halo)};
  for (guint i = 0; i < plan->depth; i++) {
    run->buffers = &lane->slots[i];
    if (!ms_filter_run_reserve(run, error))
      return FALSE;
  }
  return TRUE;
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
launch_tile(Overlap *overlap, guint index, GError **error)
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
follow_tile(Overlap *overlap, const Tile *tile, GError **error)
{
  MsFilterRun *run = overlap->run;

  if (!ms_cl_check(clWaitForEvents(1, &tile->computed), error, "waiting for the device"))
    return FALSE;
  use_tile(run, tile);
  ms_filter_run_report(run);
  return TRUE;
}

static gboolean
launch_next(Overlap *overlap, guint index, gboolean *more, GError **error)
{
  const MsStagedNext found = find_tile(overlap, index, TRUE);

  *more = found == MS_STAGED_PART;
  if (found == MS_STAGED_GIVEN_UP) {
    g_set_error_literal(error, G_IO_ERROR, G_IO_ERROR_CANCELLED, "The transfer failed.");
    return FALSE;
  }
  return !*more || (!g_cancellable_set_error_if_cancelled(overlap->run->job->cancellable, error) &&
                    launch_tile(overlap, index, error));
}

static gboolean
launch_all(Overlap *overlap, GError **error)
{
  guint launched = 0, followed = 0;
  gboolean more = TRUE;

  while (more || followed < launched) {
    if (!more || launched == followed + ENQUEUED) {
      if (!follow_tile(overlap, &overlap->tiles[followed++], error))
        return FALSE;
      continue;
    }
    if (!launch_next(overlap, launched, &more, error))
      return FALSE;
    launched += more;
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
  const MsPlan *plan = overlap->run->plan;
  const MsPlanRequest *q = &plan->request;
  const gsize row = (gsize)q->width * 4, result_row = (gsize)q->region.width * 4;
  const MsStagedWork up = {.upload = TRUE,
                           .host = overlap->run->source,
                           .bytes = q->height * row,
                           .most_bytes = MIN(q->height, plan->tile_rows + 2 * plan->halo) * row,
                           .most_parts = overlap->most,
                           .apart = ms_tiles_is_stream(overlap->run->tiles),
                           .next = next_upload,
                           .ready = memory_is_read,
                           .enqueued = on_upload_enqueued,
                           .failed = give_tiles_up,
                           .data = overlap};
  const MsStagedWork down = {.host = overlap->run->tiles->pixels,
                             .bytes = q->region.height * result_row,
                             .most_bytes = plan->tile_rows * result_row,
                             .most_parts = overlap->most,
                             .apart = ms_tiles_is_stream(overlap->run->tiles),
                             .next = next_download,
                             .ready = is_computed,
                             .enqueued = on_download_enqueued,
                             .arrived = ms_tiles_is_stream(overlap->run->tiles) ? on_arrived : NULL,
                             .failed = give_tiles_up,
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
    give_tiles_up(overlap);
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
  const gint64 start = g_get_monotonic_time();
  g_autoptr(MsTimingLog) kernels = run->log ? ms_timing_log_new() : NULL;
  MsFilterRun own = *run;
  Overlap overlap = {.run = &own, .slots = self->slots, .depth = run->plan->depth};

  overlap.most = ms_tiles_most(run->tiles, run->plan->tile_rows);
  overlap.tiles = g_new0(Tile, overlap.most);
  own.log = kernels;
  g_mutex_init(&overlap.lock);
  g_cond_init(&overlap.changed);
  ms_context_lock_kernels(run->context);
  const gboolean good = open_queues(self, run->context, error) && reserve_slots(&own, self, error) &&
                        run_tiles(&overlap, self, run->log, error);
  ms_context_unlock_kernels(run->context);
  for (guint i = 0; !good && i < overlap.n; i++)
    if (!overlap.tiles[i].is_done)
      ms_tiles_return(run->tiles, run->device, overlap.tiles[i].rows, overlap.tiles[i].pixels);
  ms_tiles_give_up(run->tiles, run->device, FALSE);
  clear_overlap(&overlap);
  if (good && run->log)
    ms_timing_log_add_filter_span(run->log, start);
  return good;
}
