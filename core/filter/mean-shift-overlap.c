/* SPDX-License-Identifier: MIT */
/*
 * Computes the rows of a stripe in pieces, on three queues of one device: while the kernels of one piece run, the next
 * ones are uploaded and the previous ones downloaded. Threads copy between the caller's and pinned memory, unless the
 * caller's is pinned; the thread of the caller launches kernels. The result does not depend on the number of pieces.
 */
#include "core/filter/mean-shift-private.h"
#include "core/opencl/transfers.h"

/* Pieces whose kernels may be enqueued at once: one runs while the next is enqueued, and cancelling waits for both. */
#define ENQUEUED 2

/* One part of the stripe; its events are guarded by the lock of the run. */
typedef struct {
  MsRows rows;
  MsRows held;
  MsFilterBuffers *buffers;
  cl_event uploaded; /* (nullable): until the upload is enqueued */
  cl_event computed; /* (nullable): until the kernels are enqueued */
} Piece;

typedef struct {
  MsFilterRun *run;
  Piece pieces[MS_PLAN_MAX_PIECES];
  MsStagedPart up[MS_PLAN_MAX_PIECES];
  MsStagedPart down[MS_PLAN_MAX_PIECES];
  guint n;
  GMutex lock; /* guards @failed and the events */
  GCond changed;
  gboolean failed;
} Overlap;

/** ms_filter_overlap_release: closes the further queues and releases the memory of the pieces. */
void
ms_filter_overlap_release(MsFilterOverlap *self)
{
  for (guint i = 0; i < G_N_ELEMENTS(self->buffers); i++)
    ms_filter_buffers_release(&self->buffers[i]);
  g_clear_pointer(&self->up, ms_context_unref);
  g_clear_pointer(&self->down, ms_context_unref);
}

static gboolean
open_queues(MsFilterOverlap *self, MsContext *context, GError **error)
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

static void
on_upload_enqueued(guint piece, cl_event marker, gpointer data)
{
  Overlap *overlap = data;

  clRetainEvent(marker);
  g_mutex_lock(&overlap->lock);
  overlap->pieces[piece].uploaded = marker;
  g_cond_broadcast(&overlap->changed);
  g_mutex_unlock(&overlap->lock);
}

/* (transfer full): the event of a piece, once it exists; %NULL after a failure, or at once without @wait. */
static cl_event
take_event(Overlap *overlap, const cl_event *of_piece, gboolean wait)
{
  cl_event event = NULL;

  g_mutex_lock(&overlap->lock);
  while (wait && !*of_piece && !overlap->failed)
    g_cond_wait(&overlap->changed, &overlap->lock);
  if (!overlap->failed && *of_piece) {
    event = *of_piece;
    clRetainEvent(event);
  }
  g_mutex_unlock(&overlap->lock);
  return event;
}

static gboolean
kernels_enqueued(guint piece, gboolean wait, cl_event *after, gpointer data)
{
  Overlap *overlap = data;

  *after = take_event(overlap, &overlap->pieces[piece].computed, wait);
  return *after != NULL;
}

static void
use_piece(MsFilterRun *run, const Piece *piece)
{
  run->stripe = run->band = piece->rows;
  run->held = piece->held;
  run->buffers = piece->buffers;
}

/* Cuts the stripe into pieces with their device memory, and lists what is transferred. */
static gboolean
prepare(Overlap *overlap, MsFilterOverlap *kept, MsRows stripe, GError **error)
{
  MsFilterRun *run = overlap->run;
  const MsPlanRequest *q = &run->plan->request;
  const gsize row = (gsize)q->width * 4, result_row = (gsize)q->region.width * 4;
  const int rows = (stripe.count + (int)run->plan->pieces - 1) / (int)run->plan->pieces;

  for (int done = 0; done < stripe.count; done += overlap->pieces[overlap->n++].rows.count) {
    const guint i = overlap->n;
    Piece *piece = &overlap->pieces[i];
    piece->rows = ms_bands_next(stripe, done, rows);
    piece->held = ms_bands_with_halo(piece->rows, run->plan->halo, q->height);
    piece->buffers = &kept->buffers[i];
    use_piece(run, piece);
    if (!ms_filter_run_reserve(run, error))
      return FALSE;
    overlap->up[i] = (MsStagedPart){piece->buffers->source.mem, 0, (gsize)piece->held.count * row,
                                    (guint8 *)run->source + (gsize)piece->held.first * row};
    overlap->down[i] = (MsStagedPart){piece->buffers->result.mem, 0, (gsize)piece->rows.count * result_row,
                                      run->pixels + (gsize)(piece->rows.first - q->region.y) * result_row};
  }
  return TRUE;
}

/* Enqueues the kernels of a piece; the device starts them when the piece is uploaded. */
static gboolean
launch(Overlap *overlap, Piece *piece, GError **error)
{
  MsFilterRun *run = overlap->run;
  g_auto(cl_event) uploaded = take_event(overlap, &piece->uploaded, TRUE), computed = NULL;

  if (!uploaded) {
    g_set_error_literal(error, G_IO_ERROR, G_IO_ERROR_CANCELLED, "The transfer failed.");
    return FALSE;
  }
  use_piece(run, piece);
  if (!ms_context_wait_for(run->context, uploaded, error) || !ms_filter_run_launch(run, MS_GRID_SOURCE, error) ||
      !ms_filter_run_enqueue_bands(run, error) || !ms_context_mark(run->context, &computed, error))
    return FALSE;
  g_mutex_lock(&overlap->lock);
  piece->computed = g_steal_pointer(&computed);
  g_cond_broadcast(&overlap->changed);
  g_mutex_unlock(&overlap->lock);
  return TRUE;
}

/* Waits for the kernels of a piece and reports its rows. */
static gboolean
follow(Overlap *overlap, const Piece *piece, GError **error)
{
  MsFilterRun *run = overlap->run;

  if (!ms_cl_check(clWaitForEvents(1, &piece->computed), error, "waiting for the device"))
    return FALSE;
  use_piece(run, piece);
  ms_filter_run_report(run);
  return TRUE;
}

static gboolean
launch_all(Overlap *overlap, GError **error)
{
  const MsFilterRun *run = overlap->run;

  for (guint i = 0; i < overlap->n + ENQUEUED; i++) {
    if (i >= ENQUEUED && !follow(overlap, &overlap->pieces[i - ENQUEUED], error))
      return FALSE;
    if (i < overlap->n && (g_cancellable_set_error_if_cancelled(run->job->cancellable, error) ||
                           !launch(overlap, &overlap->pieces[i], error)))
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

/* Uploads, computes and downloads all pieces; afterwards no queue works on them. */
static gboolean
run_pieces(Overlap *overlap, const MsFilterOverlap *kept, MsTimingLog *log, GError **error)
{
  const MsStagedWork up = {.upload = TRUE,
                           .parts = overlap->up,
                           .n_parts = overlap->n,
                           .enqueued = on_upload_enqueued,
                           .failed = give_up,
                           .data = overlap};
  const MsStagedWork down = {
    .parts = overlap->down, .n_parts = overlap->n, .ready = kernels_enqueued, .failed = give_up, .data = overlap};
  MsStagedTransfer *upload = ms_context_start_transfer(kept->up, &up);
  MsStagedTransfer *download = upload ? ms_context_start_transfer(kept->down, &down) : NULL;
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

/**
 * ms_filter_overlap_stripe:
 * @self: the further queues and the memory of the pieces, kept by the caller between runs
 * @run: of a plan with pieces, with its kernels created
 *
 * Uploads, computes and downloads rows of the region. The log gets one row for all uploads, one for each launch, one
 * for all downloads.
 *
 * Returns: %FALSE with #MS_ERROR_MEMORY where queues, threads or memory are lacking, or as ms_filter_run() does
 */
gboolean
ms_filter_overlap_stripe(MsFilterOverlap *self, const MsFilterRun *run, MsRows stripe, GError **error)
{
  const gint64 start = g_get_monotonic_time();
  g_autoptr(MsTimingLog) kernels = run->log ? ms_timing_log_new() : NULL;
  MsFilterRun own = *run;
  Overlap overlap = {.run = &own};

  own.log = kernels;
  g_mutex_init(&overlap.lock);
  g_cond_init(&overlap.changed);
  ms_context_lock_kernels(run->context);
  const gboolean good = open_queues(self, run->context, error) && prepare(&overlap, self, stripe, error) &&
                        run_pieces(&overlap, self, run->log, error);
  ms_context_unlock_kernels(run->context);
  for (guint i = 0; i < overlap.n; i++) {
    g_clear_pointer(&overlap.pieces[i].uploaded, clReleaseEvent);
    g_clear_pointer(&overlap.pieces[i].computed, clReleaseEvent);
  }
  g_mutex_clear(&overlap.lock);
  g_cond_clear(&overlap.changed);
  if (good && run->log)
    ms_timing_log_add_filter_span(run->log, start);
  return good;
}
