/* SPDX-License-Identifier: MIT */
#include "core/opencl/staging.h"

#include <string.h>
#include <sys/mman.h>

#include "core/opencl/cl.h"

/*
 * Pinned blocks: half of them can be on their way while threads copy the other half. More would not stay in the
 * processor's cache, and the transfers of two devices are bound by the host's memory.
 */
#define BLOCKS 6

/* A transfer is cut into so many blocks at least, as long as they are not smaller than the least. */
#define LEAST_BLOCKS 6
#define LEAST_BLOCK ((gsize)512 << 10)

/* Threads take turns at slices of this size, so that a block is copied soon and by all of them. */
#define SLICE ((gsize)256 << 10)

/* A thread that waits sleeps after so many microseconds only, because to wake it takes as long as copying a block. */
#define AWAKE_US 100

/* The driver moves less than this at least as fast. */
#define LEAST_BYTES ((gsize)4 << 20)

/* Threads of a transfer: the least, and the most, of which each has so many bytes to copy. */
#define LEAST_THREADS 3
#define MOST_THREADS 8
#define THREAD_BYTES ((gsize)4 << 20)

#define PAGE ((gsize)4096)

/*
 * Results of this size have no pages yet, as a rule. Threads that write to one huge page for the first time would each
 * clear a whole one, so that the pages are provided before, each by one thread, up to so many bytes ahead of copying.
 */
#define LEAST_PROVIDED ((gsize)64 << 20)
#define HUGE_PAGE ((gsize)2 << 20)
#define PROVIDED_AHEAD ((gsize)32 << 20)

/* Pinned memory, and the command that moves it. */
typedef struct {
  MsPinnedBlock pinned;
  cl_event moving; /* (nullable): from when it is enqueued until it was waited for */
} Block;

struct _MsStaging {
  cl_context context;
  cl_command_queue queue;
  gsize most_bytes; /* of a block */
  Block blocks[BLOCKS];
  guint n_blocks;       /* which the job uses */
  GMutex busy;          /* held during a job */
  GThreadPool *threads; /* (nullable): wait between jobs, because starting threads for each job takes time */
  GMutex lock;          /* guards the job's members from @working on, and the changes of its flags */
  GCond changed;        /* signalled when a flag is set, and when a thread of the pool has ended its work */
};

typedef struct _MsStagedTransfer Job;

/*
 * The bytes of a part that one block holds, in the order of the transfer.
 * @uncopied: bytes that no thread has copied yet
 * @open: flag: threads may copy, because the block is free (upload) or has arrived (download)
 * @copied: flag: all bytes are copied
 */
typedef struct {
  guint part;
  gsize at;
  gsize length;
  gssize uncopied;
  gint open;
  gint copied;
} Piece;

/*
 * One transfer. A single thread, the leader, makes all calls to the driver; the others copy.
 * @parts: those that are known, @n_parts; there is room for all that there can be; @missing: bytes of each that no
 *   thread has copied yet
 * @pieces: of these parts; they never move, since threads point to them while the leader adds further ones
 * @piece_bytes, @most_pieces: of a piece, and pieces that there can be
 * @known: how many pieces there are, for threads that wait for more
 * @ended: flag: there are no further parts
 * @ends: of each part the first command and the last one, if any, for the timings; the queue is in order
 * @failed: flag: nobody waits any more
 * @leaderless: flag: no thread leads yet; the first thread of the pool that takes part will
 * @working: threads of the pool that have not ended their part
 * @next, @next_at: the first bytes that no thread has taken to copy, after @taken bytes
 * @page_part, @page_at: the first bytes whose pages no thread has provided, after @provided bytes; behind the last part
 *   where pages are not provided
 */
struct _MsStagedTransfer {
  MsStaging *self;
  MsStagedWork work;
  MsStagedPart *parts;
  gssize *missing;
  guint n_parts;
  GArray *pieces;
  gsize piece_bytes;
  guint most_pieces;
  gint known;
  gint ended;
  cl_event (*ends)[2];
  GError *error;
  gint failed;
  gint leaderless;
  guint working;
  guint next;
  gsize next_at;
  gsize taken;
  guint page_part;
  gsize page_at;
  gsize provided;
};

/**
 * ms_staging_threads_for:
 * @processors: of the host
 * @bytes: size of the transfer
 *
 * A device that shares the host's memory needs no staging, small transfers do not repay starting threads, and one
 * thread copies no faster than the driver.
 *
 * Returns: threads to copy with, the caller's included; 0 where the driver's plain transfer is at least as fast
 */
guint
ms_staging_threads_for(const MsDeviceLimits *limits, guint processors, gsize bytes)
{
  const gsize wanted = CLAMP(bytes / THREAD_BYTES, LEAST_THREADS, MOST_THREADS);
  const guint threads = (guint)MIN(processors / 2, wanted);

  if (limits->type != MS_DEVICE_TYPE_GPU || limits->host_unified || bytes < LEAST_BYTES || threads < 2)
    return 0;
  return threads;
}

/** ms_staging_free: (nullable): releases the pinned memory. */
void
ms_staging_free(MsStaging *self)
{
  if (!self)
    return;
  if (self->threads)
    g_thread_pool_free(self->threads, TRUE, TRUE);
  for (guint i = 0; i < BLOCKS; i++)
    ms_pinned_block_release(&self->blocks[i].pinned);
  g_mutex_clear(&self->busy);
  g_mutex_clear(&self->lock);
  g_cond_clear(&self->changed);
  g_free(self);
}

/* Lets a block have at least so many bytes of pinned memory. */
static gboolean
pin_block(MsStaging *self, Block *block, gsize bytes, GError **error)
{
  MsPinnedBlock pinned = {0};

  if (block->pinned.bytes >= bytes)
    return TRUE;
  if (!ms_pinned_block_alloc(&pinned, self->context, self->queue, bytes, error))
    return FALSE;
  ms_pinned_block_release(&block->pinned);
  block->pinned = pinned;
  return TRUE;
}

/**
 * ms_staging_new:
 * @queue: in-order, with profiling; it and @context must outlive the staging
 * @most_bytes: that one command transfers
 *
 * Pins a little host memory now, and more when it is first used.
 *
 * Returns: (transfer full): the staging, or %NULL where no memory can be pinned
 */
MsStaging *
ms_staging_new(cl_context context, cl_command_queue queue, gsize most_bytes, GError **error)
{
  g_autoptr(MsStaging) self = g_new0(MsStaging, 1);

  self->context = context;
  self->queue = queue;
  self->most_bytes = most_bytes;
  g_mutex_init(&self->busy);
  g_mutex_init(&self->lock);
  g_cond_init(&self->changed);
  return pin_block(self, &self->blocks[0], MIN(LEAST_BLOCK, most_bytes), error) ? g_steal_pointer(&self) : NULL;
}

/* ---- Flags that one thread sets and others wait for. */

static void
set_flag(Job *job, gint *flag)
{
  g_mutex_lock(&job->self->lock);
  g_atomic_int_set(flag, TRUE);
  g_cond_broadcast(&job->self->changed);
  g_mutex_unlock(&job->self->lock);
}

static gboolean
is_settled(Job *job, const gint *flag)
{
  return g_atomic_int_get(flag) || g_atomic_int_get(&job->failed);
}

/* Waits for a flag, awake at first, since waking a thread takes about as long as copying a block; %FALSE on failure. */
static gboolean
wait_for_flag(Job *job, const gint *flag)
{
  const gint64 until = g_get_monotonic_time() + AWAKE_US;

  while (!is_settled(job, flag) && g_get_monotonic_time() < until)
    g_thread_yield();
  if (!is_settled(job, flag)) {
    g_mutex_lock(&job->self->lock);
    while (!is_settled(job, flag))
      g_cond_wait(&job->self->changed, &job->self->lock);
    g_mutex_unlock(&job->self->lock);
  }
  return !g_atomic_int_get(&job->failed);
}

/* Waits until there is a piece of this number, as wait_for_flag() does; %FALSE where there will be none. */
static gboolean
wait_for_piece(Job *job, guint index)
{
  const gint64 until = g_get_monotonic_time() + AWAKE_US;

  while (g_atomic_int_get(&job->known) <= (gint)index && !is_settled(job, &job->ended) &&
         g_get_monotonic_time() < until)
    g_thread_yield();
  g_mutex_lock(&job->self->lock);
  while (job->known <= (gint)index && !is_settled(job, &job->ended))
    g_cond_wait(&job->self->changed, &job->self->lock);
  const gboolean exists = job->known > (gint)index && !g_atomic_int_get(&job->failed);
  g_mutex_unlock(&job->self->lock);
  return exists;
}

/* ---- Copying, by all threads. */

static guint8 *
host_of(const Job *job, guint index)
{
  return job->self->blocks[index % job->self->n_blocks].pinned.host;
}

/* Whether pages should be provided before the next slice is copied: they are missing soon, or it has not arrived. */
static gboolean
wants_pages(const Job *job, const Piece *piece)
{
  return piece && job->page_part < job->n_parts && !g_atomic_int_get(&job->failed) &&
         (job->provided < job->taken + PROVIDED_AHEAD || !g_atomic_int_get(&piece->open));
}

/* Provides the memory up to the end of the next huge page; called with the lock, which it gives back. */
static void
provide_pages(Job *job)
{
  const MsStagedPart *part = &job->parts[job->page_part];
  guint8 *host = part->host + job->page_at;
  const gsize length = MIN(HUGE_PAGE - (guintptr)host % HUGE_PAGE, part->bytes - job->page_at);
  const gsize before = (guintptr)host % PAGE;

  job->provided += length;
  job->page_at += length;
  if (job->page_at == part->bytes) {
    job->page_part++;
    job->page_at = 0;
  }
  g_mutex_unlock(&job->self->lock);
  /* A system that cannot do it provides the pages when they are written. */
  (void)madvise(host - before, length + before, MADV_POPULATE_WRITE);
}

/*
 * Takes the next slice and copies it once its block is open, or provides the pages of later slices, or waits for the
 * next piece. With @only_open it only copies a slice whose block is open. Returns whether there may be more to do.
 */
static gboolean
copy_slice(Job *job, gboolean only_open)
{
  g_mutex_lock(&job->self->lock);
  const guint index = job->next;
  Piece *piece = (gint)index < job->known ? &g_array_index(job->pieces, Piece, index) : NULL;
  const gsize at = job->next_at;
  if (!only_open && wants_pages(job, piece)) {
    provide_pages(job);
    return TRUE;
  }
  const gboolean taken = piece && !(only_open && !g_atomic_int_get(&piece->open));
  const gsize length = taken ? MIN(SLICE, piece->length - at) : 0;
  if (taken) {
    const gboolean last = at + length == piece->length;
    job->next += last;
    job->next_at = last ? 0 : at + length;
    job->taken += length;
  }
  g_mutex_unlock(&job->self->lock);
  if (!piece)
    return !only_open && wait_for_piece(job, index);
  if (!taken || !wait_for_flag(job, &piece->open))
    return FALSE;

  guint8 *host = job->parts[piece->part].host + piece->at + at, *block = host_of(job, index) + at;
  memcpy(job->work.upload ? block : host, job->work.upload ? host : block, length);
  if (g_atomic_pointer_add(&piece->uncopied, -(gssize)length) == (gssize)length)
    set_flag(job, &piece->copied);
  if (g_atomic_pointer_add(&job->missing[piece->part], -(gssize)length) == (gssize)length && job->work.arrived)
    job->work.arrived(piece->part, job->work.data);
  return TRUE;
}

/* Waits until a piece is copied, and helps with it. */
static gboolean
wait_until_copied(Job *job, guint index)
{
  const Piece *piece = &g_array_index(job->pieces, Piece, index);

  while (!is_settled(job, &piece->copied) && copy_slice(job, TRUE)) {
  }
  return wait_for_flag(job, &piece->copied);
}

/* ---- Calls to the driver, by the leader. */

/* Cuts a part into pieces of even size. */
static void
add_part(Job *job, const MsStagedPart *part)
{
  const gsize most = job->piece_bytes, n = (part->bytes + most - 1) / most;
  const gsize size = MIN((part->bytes / n + PAGE) / PAGE * PAGE, most);

  g_mutex_lock(&job->self->lock);
  job->parts[job->n_parts] = *part;
  job->missing[job->n_parts] = (gssize)part->bytes;
  for (gsize at = 0; at < part->bytes; at += size) {
    const gsize length = MIN(size, part->bytes - at);
    g_array_append_vals(job->pieces, &(Piece){job->n_parts, at, length, (gssize)length, FALSE, FALSE}, 1);
  }
  g_assert(job->pieces->len <= job->most_pieces);
  job->n_parts++;
  g_atomic_int_set(&job->known, (gint)job->pieces->len);
  g_cond_broadcast(&job->self->changed);
  g_mutex_unlock(&job->self->lock);
}

/* Whether there is a piece of this number; with @wait, %FALSE means that there is none or that the work was ended. */
static gboolean
has_piece(Job *job, guint index, gboolean wait)
{
  MsStagedPart part;

  while (index >= job->pieces->len && !job->ended)
    switch (job->work.next(job->n_parts, wait, &part, job->work.data)) {
    case MS_STAGED_PART:
      g_assert(job->n_parts < job->work.most_parts);
      add_part(job, &part);
      break;
    case MS_STAGED_END:
      set_flag(job, &job->ended);
      break;
    case MS_STAGED_LATER:
    case MS_STAGED_GIVEN_UP:
      return FALSE;
    }
  return index < job->pieces->len;
}

/* Waits until the device has finished with a block. */
static gboolean
wait_for_block(Job *job, Block *block)
{
  if (!block->moving)
    return TRUE;
  const gboolean good = ms_cl_check(clWaitForEvents(1, &block->moving), &job->error, "waiting for the device");
  g_clear_pointer(&block->moving, clReleaseEvent);
  return good;
}

/* Enqueues the transfer of a piece. @after: (nullable): the command that it waits for */
static gboolean
enqueue(Job *job, guint index, const cl_event *after)
{
  MsStaging *self = job->self;
  const MsStagedWork *work = &job->work;
  const Piece *piece = &g_array_index(job->pieces, Piece, index);
  const MsStagedPart *part = &job->parts[piece->part];
  Block *block = work->direct ? NULL : &self->blocks[index % self->n_blocks];
  guint8 *host = block ? block->pinned.host : part->host + piece->at;
  const gsize offset = part->offset + piece->at, length = piece->length;
  const cl_uint n = after ? 1 : 0;
  cl_event moving = NULL;
  const cl_int status =
    work->upload ? clEnqueueWriteBuffer(self->queue, part->buffer, CL_FALSE, offset, length, host, n, after, &moving)
                 : clEnqueueReadBuffer(self->queue, part->buffer, CL_FALSE, offset, length, host, n, after, &moving);

  if (!ms_cl_check(status, &job->error, "transferring %zu bytes through pinned memory", length))
    return FALSE;
  cl_event *end = &job->ends[piece->part][piece->at > 0];
  g_clear_pointer(end, clReleaseEvent);
  *end = moving;
  if (block) {
    clRetainEvent(moving);
    block->moving = moving;
  }
  if (!ms_cl_check(clFlush(self->queue), &job->error, "flushing the queue"))
    return FALSE;
  if (work->enqueued && piece->at + length == part->bytes)
    work->enqueued(piece->part, moving, work->data);
  return TRUE;
}

/* Enqueues a piece of an upload; the first of a part waits until the device no longer needs what it overwrites. */
static gboolean
enqueue_upload(Job *job, guint index)
{
  const MsStagedWork *work = &job->work;
  const Piece *piece = &g_array_index(job->pieces, Piece, index);
  g_auto(cl_event) after = NULL;

  if (work->ready && piece->at == 0 && !work->ready(piece->part, TRUE, &after, work->data))
    return FALSE;
  return enqueue(job, index, after ? &after : NULL);
}

/* Pieces that may be under way at once: all, where each has a block, or half of the blocks. */
static guint
ahead(const Job *job)
{
  return job->most_pieces <= job->self->n_blocks ? job->most_pieces : MAX(job->self->n_blocks / 2, 1);
}

static gboolean
lead_upload(Job *job)
{
  MsStaging *self = job->self;
  const guint most = ahead(job);

  for (guint i = 0, opened = 0;; i++) {
    for (; opened < i + most && has_piece(job, opened, opened == i); opened++) {
      if (!wait_for_block(job, &self->blocks[opened % self->n_blocks]))
        return FALSE;
      set_flag(job, &g_array_index(job->pieces, Piece, opened).open);
    }
    if (opened == i)
      return job->ended;
    if (!wait_until_copied(job, i) || !enqueue_upload(job, i))
      return FALSE;
  }
}

/* Enqueues the piece when its part may be read; @wait: waits for that. Sets @done to whether it is enqueued. */
static gboolean
enqueue_download(Job *job, guint index, gboolean wait, gboolean *done)
{
  const MsStagedWork *work = &job->work;
  const guint part = g_array_index(job->pieces, Piece, index).part, n_blocks = job->self->n_blocks;
  g_auto(cl_event) after = NULL;

  *done = !work->ready || work->ready(part, wait, &after, work->data);
  if (!*done)
    return !wait;
  return (index < n_blocks || wait_until_copied(job, index - n_blocks)) && enqueue(job, index, after ? &after : NULL);
}

static gboolean
lead_download(Job *job)
{
  MsStaging *self = job->self;
  const guint most = ahead(job);

  for (guint i = 0, enqueued = 0;; i++) {
    for (gboolean done = TRUE; done && enqueued < i + most && has_piece(job, enqueued, enqueued == i); enqueued += done)
      if (!enqueue_download(job, enqueued, enqueued == i, &done))
        return FALSE;
    if (enqueued == i)
      break;
    if (!wait_for_block(job, &self->blocks[i % self->n_blocks]))
      return FALSE;
    set_flag(job, &g_array_index(job->pieces, Piece, i).open);
  }
  const guint n = job->pieces->len;
  for (guint i = n - MIN(n, self->n_blocks); i < n; i++)
    if (!wait_until_copied(job, i))
      return FALSE;
  return job->ended;
}

/* Moves each part by one command, where it is. */
static gboolean
lead_direct(Job *job)
{
  const MsStagedWork *work = &job->work;

  for (guint i = 0; has_piece(job, i, TRUE); i++) {
    g_auto(cl_event) after = NULL;
    if ((work->ready && !work->ready(i, TRUE, &after, work->data)) || !enqueue(job, i, after ? &after : NULL))
      return FALSE;
    if (!work->arrived)
      continue;
    if (!ms_cl_check(clWaitForEvents(1, &job->ends[i][0]), &job->error, "waiting for the device"))
      return FALSE;
    work->arrived(i, work->data);
  }
  if (!job->ended || job->pieces->len == 0)
    return job->ended;
  return ms_cl_check(clWaitForEvents(1, &job->ends[job->pieces->len - 1][0]), &job->error, "waiting for the device");
}

static gboolean
lead_through_blocks(Job *job)
{
  gboolean good = job->work.upload ? lead_upload(job) : lead_download(job);

  for (guint i = 0; good && i < job->self->n_blocks; i++)
    good = wait_for_block(job, &job->self->blocks[i]);
  return good;
}

/* Carries out the transfer together with the threads that copy; afterwards the device works on no block. */
static void
lead(Job *job)
{
  MsStaging *self = job->self;

  if (job->work.direct ? lead_direct(job) : lead_through_blocks(job))
    return;
  set_flag(job, &job->failed);
  (void)ms_cl_finish(self->queue);
  for (guint i = 0; i < self->n_blocks; i++)
    g_clear_pointer(&self->blocks[i].moving, clReleaseEvent);
  if (!job->error)
    g_set_error_literal(&job->error, G_IO_ERROR, G_IO_ERROR_CANCELLED, "The transfer was given up.");
  if (job->work.failed)
    job->work.failed(job->work.data);
}

/* ---- Jobs. */

/* Lets pieces have so many bytes at most, and makes room for all that there can be. */
static void
set_piece_bytes(Job *job, gsize bytes)
{
  const MsStagedWork *work = &job->work;

  job->piece_bytes = bytes;
  job->most_pieces = work->most_parts * (guint)((work->most_bytes + bytes - 1) / bytes);
}

/* Pins blocks for the pieces; where none so large can be had, the first one serves. */
static void
pin_blocks(Job *job)
{
  MsStaging *self = job->self;
  const MsStagedWork *work = &job->work;
  const gsize share = (work->bytes / LEAST_BLOCKS + PAGE) / PAGE * PAGE;

  set_piece_bytes(job, MIN(MAX(share, LEAST_BLOCK), self->most_bytes));
  for (self->n_blocks = 0; self->n_blocks < MIN(job->most_pieces, BLOCKS); self->n_blocks++)
    if (!pin_block(self, &self->blocks[self->n_blocks], MIN(job->piece_bytes, work->most_bytes), NULL))
      break;
  if (self->n_blocks == 0) {
    set_piece_bytes(job, self->blocks[0].pinned.bytes);
    self->n_blocks = 1;
  }
}

/* (transfer full): a transfer that holds the lock of its staging until ms_staged_transfer_end(). */
static Job *
job_new(MsStaging *self, const MsStagedWork *work)
{
  Job *job = g_new0(Job, 1);

  job->self = self;
  job->work = *work;
  job->parts = g_new(MsStagedPart, work->most_parts);
  job->ends = g_malloc0_n(work->most_parts, sizeof *job->ends);
  job->missing = g_new(gssize, work->most_parts);
  job->page_part = work->upload || work->direct || work->bytes < LEAST_PROVIDED ? G_MAXUINT : 0;
  g_mutex_lock(&self->busy);
  self->n_blocks = 0;
  if (work->direct)
    set_piece_bytes(job, work->most_bytes);
  else
    pin_blocks(job);
  job->pieces = g_array_sized_new(FALSE, FALSE, sizeof(Piece), job->most_pieces);
  return job;
}

static void
take_part_in_thread(gpointer data, gpointer unused)
{
  Job *job = data;
  GMutex *lock = &job->self->lock;
  GCond *changed = &job->self->changed;

  if (g_atomic_int_compare_and_exchange(&job->leaderless, TRUE, FALSE))
    lead(job);
  else
    while (copy_slice(job, FALSE)) {
    }
  g_mutex_lock(lock);
  job->working--;
  g_cond_broadcast(changed);
  g_mutex_unlock(lock);
}

/* Starts at most @n threads that take part, or fewer where no more can be started. */
static guint
start_threads(Job *job, guint n)
{
  MsStaging *self = job->self;

  if (n == 0)
    return 0;
  if (!self->threads)
    self->threads = g_thread_pool_new(take_part_in_thread, NULL, (gint)n, TRUE, NULL);
  else if (g_thread_pool_get_max_threads(self->threads) < (gint)n)
    g_thread_pool_set_max_threads(self->threads, (gint)n, NULL);
  n = self->threads ? MIN(n, g_thread_pool_get_num_threads(self->threads)) : 0;
  job->working = n;
  for (guint i = 0; i < n; i++)
    g_thread_pool_push(self->threads, job, NULL);
  return n;
}

/* Adds a row for all parts, or for each where the time between them is not the transfer's. */
static void
log_parts(Job *job, MsTimingLog *log)
{
  const MsStage stage = job->work.upload ? MS_STAGE_UPLOAD : MS_STAGE_DOWNLOAD;
  const guint step = job->work.apart ? 1 : job->n_parts;

  for (guint first = 0; first < job->n_parts; first += step) {
    const guint last = first + step - 1;
    cl_event ends[] = {job->ends[first][0], job->ends[last][1] ? job->ends[last][1] : job->ends[last][0]};
    gsize bytes = 0;
    for (guint i = first; i <= last; i++)
      bytes += job->parts[i].bytes;
    if (ends[0] && ends[1])
      ms_timing_log_add_events(log, stage, bytes, ends, ends[0] != ends[1] ? 2 : 1);
  }
}

/**
 * ms_staged_transfer_end: waits for the transfer, on the thread that started it, and frees it; as ms_staging_move().
 * @log: (nullable): gets a row from the first command's start to the last one's end, or one for each part
 *
 * Returns: %FALSE with #MS_ERROR_DEVICE, or G_IO_ERROR_CANCELLED where MsStagedWork.ready gave it up
 */
gboolean
ms_staged_transfer_end(MsStagedTransfer *self, MsTimingLog *log, GError **error)
{
  MsStaging *staging = self->self;

  g_mutex_lock(&staging->lock);
  while (self->working > 0)
    g_cond_wait(&staging->changed, &staging->lock);
  g_mutex_unlock(&staging->lock);
  g_mutex_unlock(&staging->busy);
  const gboolean good = !self->error;
  if (good && log)
    log_parts(self, log);
  for (guint i = 0; i < 2 * self->n_parts; i++)
    g_clear_pointer(&self->ends[i / 2][i % 2], clReleaseEvent);
  if (!good)
    g_propagate_error(error, self->error);
  g_free(self->ends);
  g_array_unref(self->pieces);
  g_free(self->parts);
  g_free(self->missing);
  g_free(self);
  return good;
}

/**
 * ms_staging_start:
 * @threads: threads to copy with
 * @work: copied; what its parts point to and its data must stay until ms_staged_transfer_end()
 *
 * Begins a transfer in threads of its own. Other transfers of @self wait until this one has ended.
 *
 * Returns: (transfer full) (nullable): for ms_staged_transfer_end(); %NULL where no thread can be started
 */
MsStagedTransfer *
ms_staging_start(MsStaging *self, guint threads, const MsStagedWork *work)
{
  Job *job = job_new(self, work);

  job->leaderless = TRUE;
  if (start_threads(job, work->direct ? 1 : CLAMP(threads, 1, MOST_THREADS) + 1) > 0)
    return job;
  ms_staged_transfer_end(job, NULL, NULL);
  return NULL;
}

static MsStagedNext
next_of_one(guint index, gboolean wait, MsStagedPart *part, gpointer data)
{
  *part = *(const MsStagedPart *)data;
  return index == 0 ? MS_STAGED_PART : MS_STAGED_END;
}

/**
 * ms_staging_move:
 * @upload: whether it is copied to the device, or from there once everything enqueued before has ended
 * @threads: threads to copy with, the caller's included
 * @log: (nullable): gets one row, from the first command's start to the last one's end
 *
 * When it returns, the bytes have arrived and the host memory may be reused. Calls from several threads wait for each
 * other.
 */
gboolean
ms_staging_move(MsStaging *self, gboolean upload, guint threads, const MsStagedPart *part, MsTimingLog *log,
                GError **error)
{
  const MsStagedWork work = {.upload = upload,
                             .host = part->host,
                             .bytes = part->bytes,
                             .most_bytes = part->bytes,
                             .most_parts = 1,
                             .next = next_of_one,
                             .data = (gpointer)part};
  Job *job = job_new(self, &work);

  start_threads(job, CLAMP(threads, 1, MOST_THREADS) - 1);
  lead(job);
  return ms_staged_transfer_end(job, log, error);
}
