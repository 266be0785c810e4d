/* SPDX-License-Identifier: MIT */
/*
 * Computes tile after tile on three queues of one device: while the kernels of one tile run, the next ones are uploaded
 * and the previous ones downloaded. The thread that uploads takes the tiles from the list, which other devices take
 * from as well. Threads copy between the caller's and pinned memory, unless the caller's is pinned; the thread of the
 * caller launches kernels. A few tiles have memory on the device at once, and take turns at it. The result does not
 * depend on the tiles.
 */
#include "core/filter/lane-private.h"
#include "core/opencl/transfers.h"

/* Tiles whose kernels may be enqueued at once: one runs while the next is enqueued, and cancelling waits for both. */
#define ENQUEUED 2

/*
 * A tile under way. The lock of the run guards the events, each NULL until the command is enqueued, and whether the
 * result is in the memory of the host.
 */
typedef struct {
  MsTile tile;
  gboolean is_done;
  cl_event uploaded;
  cl_event computed;
  cl_event downloaded;
} Flight;

/*
 * @n: tiles that were taken from the list
 * @most: that can be taken
 * @lock: guards @n, @ended, @failed and the events
 * @ended: there are no further tiles
 */
typedef struct {
  const MsLevel *level;
  MsLane *lane;
  Flight *tiles;
  guint n;
  guint most;
  guint depth;
  GMutex lock;
  GCond changed;
  gboolean ended;
  gboolean failed;
} Overlap;

/* Closes the further queues and releases the memory that one tile at a time does not need. */
static void
release_further(MsLane *self)
{
  for (guint i = 1; i < G_N_ELEMENTS(self->slots); i++)
    ms_filter_buffers_release(&self->slots[i]);
  g_clear_pointer(&self->up, ms_context_unref);
  g_clear_pointer(&self->down, ms_context_unref);
}

static void
release_above(MsLane *self)
{
  for (guint i = 0; i < G_N_ELEMENTS(self->above); i++)
    ms_filter_buffers_release(&self->above[i]);
}

/** ms_lane_release: frees its queues and memory on the device; it can be used again. */
void
ms_lane_release(MsLane *self)
{
  release_further(self);
  ms_filter_buffers_release(&self->slots[0]);
  release_above(self);
}

static gboolean
open_queues(MsLane *self, GError **error)
{
  if (!self->up)
    self->up = ms_context_new_sibling(self->context, NULL);
  if (!self->down)
    self->down = ms_context_new_sibling(self->context, NULL);
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
  ms_tiles_give_up(overlap->level->tiles, overlap->level->device, TRUE);
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
  Flight *flight = &overlap->tiles[index];

  g_mutex_lock(&overlap->lock);
  flight->is_done = TRUE;
  g_mutex_unlock(&overlap->lock);
  if (!ms_tiles_finish(overlap->level->tiles, flight->tile.rows, flight->tile.pixels, NULL))
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
  const MsLevel *level = overlap->level;
  MsTile *tile = &overlap->tiles[overlap->n].tile;
  const gboolean taken =
    overlap->n < overlap->most && ms_tiles_take(level->tiles, level->device, level->plan->tile_rows, &tile->rows);

  if (taken) {
    tile->held = ms_bands_with_halo(tile->rows, level->plan->halo, level->plan->height);
    tile->buffers = &overlap->lane->slots[overlap->n % overlap->depth];
  }
  if (taken && !ms_tiles_prepare(level->tiles, tile->rows, tile->held, &tile->pixels, NULL))
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
  const MsLevel *level = overlap->level;
  const gsize row = (gsize)level->plan->width * 4;

  if (!wait && ms_tiles_is_stream(level->tiles))
    return MS_STAGED_LATER;
  if (index > overlap->depth) {
    g_auto(cl_event) computed = take_event(overlap, &overlap->tiles[index - overlap->depth - 1].computed, wait);
    if (!computed)
      return wait ? MS_STAGED_GIVEN_UP : MS_STAGED_LATER;
  }
  const MsStagedNext found = take_tile(overlap);
  if (found != MS_STAGED_PART)
    return found;
  const MsTile *tile = &overlap->tiles[index].tile;
  *part = (MsStagedPart){tile->buffers->source.mem, 0, (gsize)tile->held.count * row,
                         (guint8 *)ms_image_get_pixels(level->job->source) + (gsize)tile->held.first * row};
  return MS_STAGED_PART;
}

static MsStagedNext
next_download(guint index, gboolean wait, MsStagedPart *part, gpointer data)
{
  Overlap *overlap = data;
  const gsize row = (gsize)overlap->level->plan->region.width * 4;
  const MsStagedNext found = find_tile(overlap, index, wait);

  if (found != MS_STAGED_PART)
    return found;
  const MsTile *tile = &overlap->tiles[index].tile;
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

/* Provides the memory of all tiles that are under way at once, each as large as the largest tile needs. */
static gboolean
reserve_slots(const MsLevel *level, MsLane *lane, GError **error)
{
  const MsPlan *plan = level->plan;
  MsTile largest = {.rows = {0, plan->tile_rows}, .held = {0, MIN(plan->height, plan->tile_rows + 2 * plan->halo)}};

  for (guint i = 0; i < plan->depth; i++) {
    largest.buffers = &lane->slots[i];
    if (!ms_level_reserve(level, &largest, error))
      return FALSE;
  }
  return TRUE;
}

/* The kernels of the tile wait for its upload, and for the download of the result that stands in its memory. */
static gboolean
wait_for_transfers(Overlap *overlap, guint index, GError **error)
{
  MsContext *context = overlap->level->context;
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
  const MsLevel *level = overlap->level;
  const MsTile *tile = &overlap->tiles[index].tile;
  g_auto(cl_event) computed = NULL;

  if (!wait_for_transfers(overlap, index, error) || !ms_level_prepare_source(level, tile, error) ||
      !ms_level_enqueue_bands(level, tile, error) || !ms_context_mark(level->context, &computed, error))
    return FALSE;
  put_event(overlap, &overlap->tiles[index].computed, computed);
  return TRUE;
}

/* Waits for the kernels of a tile and reports its rows. */
static gboolean
follow_tile(Overlap *overlap, const Flight *flight, GError **error)
{
  const MsLevel *level = overlap->level;

  if (!ms_cl_check(clWaitForEvents(1, &flight->computed), error, "waiting for the device"))
    return FALSE;
  ms_tiles_count(level->tiles, level->device, flight->tile.rows.count);
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
  return !*more || (!g_cancellable_set_error_if_cancelled(overlap->level->job->cancellable, error) &&
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

/* Uploads, computes and downloads all tiles; afterwards no queue works on them. @log: (nullable): gets all rows */
static gboolean
run_tiles(Overlap *overlap, MsTimingLog *log, GError **error)
{
  const MsLevel *level = overlap->level;
  const MsLane *lane = overlap->lane;
  const MsPlan *plan = level->plan;
  const gboolean is_stream = ms_tiles_is_stream(level->tiles);
  const gsize row = (gsize)plan->width * 4, result_row = (gsize)plan->region.width * 4;
  const MsStagedWork up = {.upload = TRUE,
                           .host = ms_image_get_pixels(level->job->source),
                           .bytes = plan->height * row,
                           .most_bytes = MIN(plan->height, plan->tile_rows + 2 * plan->halo) * row,
                           .most_parts = overlap->most,
                           .apart = is_stream,
                           .next = next_upload,
                           .ready = memory_is_read,
                           .enqueued = on_upload_enqueued,
                           .failed = give_tiles_up,
                           .data = overlap};
  const MsStagedWork down = {.host = level->tiles->pixels,
                             .bytes = plan->region.height * result_row,
                             .most_bytes = plan->tile_rows * result_row,
                             .most_parts = overlap->most,
                             .apart = is_stream,
                             .next = next_download,
                             .ready = is_computed,
                             .enqueued = on_download_enqueued,
                             .arrived = is_stream ? on_arrived : NULL,
                             .failed = give_tiles_up,
                             .data = overlap};
  MsStagedTransfer *upload = ms_context_start_transfer(lane->up, &up);
  MsStagedTransfer *download = upload ? ms_context_start_transfer(lane->down, &down) : NULL;
  MsTimingLog *kernels = level->job->log;
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
    (void)ms_cl_finish(level->context->queue);
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

/*
 * Uploads, computes and downloads the tiles of a plan with a depth above 1. The log gets one row for all uploads, one
 * for each launch, one for all downloads. Fails with #MS_ERROR_MEMORY where queues, threads or memory are lacking.
 */
static gboolean
overlap_tiles(MsLane *self, const MsLevel *level, GError **error)
{
  const gint64 start = g_get_monotonic_time();
  MsTimingLog *log = level->job->log;
  g_autoptr(MsTimingLog) kernels = log ? ms_timing_log_new() : NULL;
  MsJob job = *level->job;
  MsLevel own = *level;
  Overlap overlap = {.level = &own, .lane = self, .depth = level->plan->depth};

  /* Kernels have a log of their own, since their rows follow that of the uploads, which ends later. */
  job.log = kernels;
  own.job = &job;
  overlap.most = ms_tiles_most(level->tiles, level->plan->tile_rows);
  overlap.tiles = g_new0(Flight, overlap.most);
  g_mutex_init(&overlap.lock);
  g_cond_init(&overlap.changed);
  ms_context_lock_kernels(self->context);
  const gboolean good = open_queues(self, error) && reserve_slots(&own, self, error) && run_tiles(&overlap, log, error);
  ms_context_unlock_kernels(self->context);
  for (guint i = 0; !good && i < overlap.n; i++)
    if (!overlap.tiles[i].is_done)
      ms_tiles_return(level->tiles, level->device, overlap.tiles[i].tile.rows, overlap.tiles[i].tile.pixels);
  ms_tiles_give_up(level->tiles, level->device, FALSE);
  clear_overlap(&overlap);
  if (good && log)
    ms_timing_log_add_filter_span(log, start);
  if (good && job.rows)
    job.rows(level->tiles->pixels, level->plan->region.height, job.rows_data);
  return good;
}

/* Computes one tile after the other where the device lacks threads, queues or memory for several at once. */
static gboolean
take_tiles(MsLane *self, const MsLevel *level, GError **error)
{
  g_autoptr(GError) failure = NULL;

  if (level->plan->depth > 1) {
    if (overlap_tiles(self, level, &failure))
      return TRUE;
    if (!g_error_matches(failure, MS_ERROR, MS_ERROR_MEMORY)) {
      g_propagate_error(error, g_steal_pointer(&failure));
      return FALSE;
    }
    g_debug("plan: %s", failure->message);
    release_further(self);
  }
  return ms_level_run_one_by_one(level, &self->slots[0], error);
}

/**
 * ms_lane_run: computes the tiles that the device gets from the list.
 * @plan: of @job for this device
 * @device: its number in the list
 *
 * Levels above the picture are computed whole, whatever the region.
 */
gboolean
ms_lane_run(MsLane *self, const MsJob *job, const MsPlan *plan, MsTiles *tiles, guint device, GError **error)
{
  MsLevel picture = {.context = self->context, .job = job, .plan = plan, .tiles = tiles, .device = device};
  gboolean good;

  if (plan->coarser) {
    if (plan->in_tiles)
      release_above(self);
    return ms_levels_run(self, &picture, error);
  }
  good = ms_level_open(&picture, error) && take_tiles(self, &picture, error);
  ms_level_close(&picture);
  return good;
}
