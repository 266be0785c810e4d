/* SPDX-License-Identifier: MIT */
#include "core/opencl/staging.h"

#include <string.h>

#include "core/opencl/cl.h"

/* A lane copies one slot while the device transfers the other. */
#define SLOTS 2

/* The driver moves less than this at least as fast. */
#define LEAST_BYTES ((gsize)4 << 20)

/* Threads of a transfer: the least, and the most, of which each has so many bytes to copy. */
#define LEAST_LANES 3
#define MOST_LANES 8
#define LANE_BYTES ((gsize)4 << 20)

/* Where a lane has fewer chunks than two, it copies in two smaller ones, so that copying and transferring overlap. */
#define LEAST_CHUNK ((gsize)256 << 10)
#define PAGE ((gsize)4096)

/* The bytes of a part that are copied at once. */
typedef struct {
  guint part;
  gsize at;
  gsize length;
} Chunk;

typedef struct {
  cl_mem memory;
  guint8 *host;
  cl_event moving; /* (nullable): set while the device works on the slot */
  Chunk chunk;     /* which the slot holds */
} Slot;

struct _MsStaging {
  cl_context context;
  cl_command_queue queue;
  gsize chunk_bytes;
  Slot lanes[MOST_LANES][SLOTS]; /* pinned when first used, except the first, which ms_staging_new() pins */
  GMutex busy;                   /* held during a job, which uses all slots */
  GMutex enqueuing;              /* held while a command is enqueued, so that their order is known */
  GThreadPool *threads;          /* (nullable): wait between jobs, because starting threads for each job takes time */
  GMutex lock;                   /* guards the last four members of the job */
  GCond ended;                   /* signalled when no thread of the pool works on the job any more */
};

typedef struct _MsStagedTransfer Job;

/* What one thread does of a job. */
typedef struct {
  Job *job;
  Slot *slots;
} LaneJob;

/*
 * One transfer, which the lanes carry out chunk by chunk.
 * @chunk_bytes: what a lane copies at once
 * @ends: (nullable): the first command and the last one, for the timings; the queue is in order
 * @working: threads of the pool that have not ended their part
 * @next: the first chunk that no lane has taken
 * @enqueued: bytes of each part that are enqueued
 * @error: the first failure, after which lanes take no more chunks
 */
struct _MsStagedTransfer {
  MsStaging *self;
  MsStagedWork work;
  guint n_lanes;
  LaneJob lanes[MOST_LANES];
  gsize chunk_bytes;
  cl_event ends[2];
  guint working;
  Chunk next;
  gsize *enqueued;
  GError *error;
};

/**
 * ms_staging_lanes_for:
 * @processors: of the host
 * @bytes: size of the transfer
 *
 * A device that shares the host's memory needs no staging, small transfers do not repay starting threads, and one
 * thread copies no faster than the driver.
 *
 * Returns: threads to copy with, the caller's included; 0 where the driver's plain transfer is at least as fast
 */
guint
ms_staging_lanes_for(const MsDeviceLimits *limits, guint processors, gsize bytes)
{
  const gsize wanted = CLAMP(bytes / LANE_BYTES, LEAST_LANES, MOST_LANES);
  const guint lanes = (guint)MIN(processors / 2, wanted);

  if (limits->type != MS_DEVICE_TYPE_GPU || limits->host_unified || bytes < LEAST_BYTES || lanes < 2)
    return 0;
  return lanes;
}

static void
release_slot(MsStaging *self, Slot *slot)
{
  g_clear_pointer(&slot->moving, clReleaseEvent);
  if (slot->host)
    clEnqueueUnmapMemObject(self->queue, slot->memory, slot->host, 0, NULL, NULL);
  g_clear_pointer(&slot->memory, clReleaseMemObject);
}

/** ms_staging_free: (nullable): releases the pinned memory. */
void
ms_staging_free(MsStaging *self)
{
  if (!self)
    return;
  if (self->threads)
    g_thread_pool_free(self->threads, TRUE, TRUE);
  for (guint i = 0; i < MOST_LANES * SLOTS; i++)
    release_slot(self, &self->lanes[i / SLOTS][i % SLOTS]);
  g_mutex_clear(&self->busy);
  g_mutex_clear(&self->enqueuing);
  g_mutex_clear(&self->lock);
  g_cond_clear(&self->ended);
  g_free(self);
}

/* Allocates pinned memory: drivers pin what CL_MEM_ALLOC_HOST_PTR allocates, and the mapping gives its host address. */
static gboolean
pin_slot(MsStaging *self, Slot *slot, GError **error)
{
  const gsize bytes = self->chunk_bytes;
  cl_int status = CL_SUCCESS;
  g_auto(cl_mem) memory =
    clCreateBuffer(self->context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, bytes, NULL, &status);

  if (!ms_cl_check(status, error, "allocating %zu bytes of pinned memory", bytes))
    return FALSE;
  guint8 *host =
    clEnqueueMapBuffer(self->queue, memory, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, bytes, 0, NULL, NULL, &status);
  if (!ms_cl_check(status, error, "mapping %zu bytes of pinned memory", bytes))
    return FALSE;
  slot->memory = g_steal_pointer(&memory);
  slot->host = host;
  return TRUE;
}

static gboolean
pin_lane(MsStaging *self, Slot *slots, GError **error)
{
  for (guint i = 0; i < SLOTS; i++)
    if (!slots[i].host && !pin_slot(self, &slots[i], error))
      return FALSE;
  return TRUE;
}

/**
 * ms_staging_new:
 * @queue: in-order, with profiling; it and @context must outlive the staging
 * @chunk_bytes: bytes of a slot
 *
 * Pins two chunks of host memory now, and two more when a further lane is first used.
 *
 * Returns: (transfer full): the staging, or %NULL where no memory can be pinned
 */
MsStaging *
ms_staging_new(cl_context context, cl_command_queue queue, gsize chunk_bytes, GError **error)
{
  g_autoptr(MsStaging) self = g_new0(MsStaging, 1);

  self->context = context;
  self->queue = queue;
  self->chunk_bytes = chunk_bytes;
  g_mutex_init(&self->busy);
  g_mutex_init(&self->enqueuing);
  g_mutex_init(&self->lock);
  g_cond_init(&self->ended);
  return pin_lane(self, self->lanes[0], error) ? g_steal_pointer(&self) : NULL;
}

static gsize
bytes_of(const MsStagedWork *work)
{
  gsize bytes = 0;

  for (guint i = 0; i < work->n_parts; i++)
    bytes += work->parts[i].bytes;
  return bytes;
}

/* The bytes of a chunk: a slot, because the driver takes the same time for any chunk, or half of what a lane copies. */
static gsize
chunk_for(const MsStaging *self, gsize bytes, guint lanes)
{
  const gsize half = (bytes / lanes / 2 + PAGE) / PAGE * PAGE;

  return MIN(MAX(half, LEAST_CHUNK), self->chunk_bytes);
}

static gboolean
take_chunk(Job *job, Chunk *chunk)
{
  const MsStagedWork *work = &job->work;

  g_mutex_lock(&job->self->lock);
  const gboolean taken = !job->error && job->next.part < work->n_parts;
  if (taken) {
    const MsStagedPart *part = &work->parts[job->next.part];
    *chunk = job->next;
    chunk->length = MIN(job->chunk_bytes, part->bytes - chunk->at);
    job->next.at += chunk->length;
    if (job->next.at == part->bytes)
      job->next = (Chunk){.part = chunk->part + 1};
  }
  g_mutex_unlock(&job->self->lock);
  return taken;
}

static void
take_error(Job *job, GError *error)
{
  g_mutex_lock(&job->self->lock);
  if (!job->error)
    job->error = g_steal_pointer(&error);
  g_mutex_unlock(&job->self->lock);
  g_clear_error(&error);
  if (job->work.failed)
    job->work.failed(job->work.data);
}

/* Tells the caller of a part whose last chunk is enqueued, with an event that ends after all of its chunks. */
static gboolean
report_enqueued(Job *job, const Chunk *chunk, GError **error)
{
  const MsStagedWork *work = &job->work;
  g_auto(cl_event) marker = NULL;

  if (!work->enqueued)
    return TRUE;
  g_mutex_lock(&job->self->lock);
  job->enqueued[chunk->part] += chunk->length;
  const gboolean whole = job->enqueued[chunk->part] == work->parts[chunk->part].bytes;
  g_mutex_unlock(&job->self->lock);
  if (!whole)
    return TRUE;
  if (!ms_cl_check(clEnqueueMarkerWithWaitList(job->self->queue, 0, NULL, &marker), error, "marking a transfer") ||
      !ms_cl_check(clFlush(job->self->queue), error, "flushing the queue"))
    return FALSE;
  work->enqueued(chunk->part, marker, work->data);
  return TRUE;
}

/* Enqueues the transfer between a slot and the device. */
static cl_int
enqueue(Job *job, Slot *slot, const MsStagedPart *part, gsize offset)
{
  MsStaging *self = job->self;
  const gsize length = slot->chunk.length;

  g_mutex_lock(&self->enqueuing);
  const cl_int status =
    job->work.upload
      ? clEnqueueWriteBuffer(self->queue, part->buffer, CL_FALSE, offset, length, slot->host, 0, NULL, &slot->moving)
      : clEnqueueReadBuffer(self->queue, part->buffer, CL_FALSE, offset, length, slot->host, 0, NULL, &slot->moving);
  if (status == CL_SUCCESS) {
    cl_event *end = &job->ends[job->ends[0] ? 1 : 0];
    g_clear_pointer(end, clReleaseEvent);
    *end = slot->moving;
    clRetainEvent(*end);
  }
  g_mutex_unlock(&self->enqueuing);
  return status;
}

/* Enqueues the transfer of one chunk; an upload copies the bytes into the slot first. */
static gboolean
start_slot(Job *job, Slot *slot, const Chunk *chunk, GError **error)
{
  const MsStagedWork *work = &job->work;
  const MsStagedPart *part = &work->parts[chunk->part];
  const gsize length = chunk->length;

  if (work->ready && !work->ready(chunk->part, work->data)) {
    g_set_error_literal(error, G_IO_ERROR, G_IO_ERROR_CANCELLED, "The transfer was given up.");
    return FALSE;
  }
  slot->chunk = *chunk;
  if (work->upload)
    memcpy(slot->host, part->host + chunk->at, length);
  return ms_cl_check(enqueue(job, slot, part, part->offset + chunk->at), error,
                     "transferring %zu bytes through pinned memory", length) &&
         ms_cl_check(clFlush(job->self->queue), error, "flushing the queue") && report_enqueued(job, chunk, error);
}

/* Waits until the device has finished with the slot, and copies out what was downloaded. */
static gboolean
finish_slot(const LaneJob *lane, Slot *slot, GError **error)
{
  Job *job = lane->job;

  if (!slot->moving)
    return TRUE;
  const cl_int status = clWaitForEvents(1, &slot->moving);
  gboolean good = ms_cl_check(status, error, "waiting for the device");

  if (!good)
    (void)clFinish(job->self->queue); /* the slot is used again */
  if (good && !job->work.upload)
    memcpy(job->work.parts[slot->chunk.part].host + slot->chunk.at, slot->host, slot->chunk.length);
  g_clear_pointer(&slot->moving, clReleaseEvent);
  return good;
}

/*
 * Fills the lane's two slots in turn until the job has no more chunks, then waits for both. A lane without pinned
 * memory takes no chunks; the first lane always has pinned memory.
 */
static void
run_lane(LaneJob *lane)
{
  gboolean good = TRUE;
  guint turn = 0;
  Chunk chunk;

  if (!pin_lane(lane->job->self, lane->slots, NULL))
    return;
  while (good && take_chunk(lane->job, &chunk)) {
    g_autoptr(GError) error = NULL;
    Slot *slot = &lane->slots[turn++ % SLOTS];
    good = finish_slot(lane, slot, &error) && start_slot(lane->job, slot, &chunk, &error);
    if (!good)
      take_error(lane->job, g_steal_pointer(&error));
  }
  for (guint i = 0; i < SLOTS; i++) {
    g_autoptr(GError) error = NULL;
    if (!finish_slot(lane, &lane->slots[turn++ % SLOTS], &error))
      take_error(lane->job, g_steal_pointer(&error));
  }
}

static void
run_pooled_lane(gpointer lane, gpointer data)
{
  Job *job = ((LaneJob *)lane)->job;

  run_lane(lane);
  g_mutex_lock(&job->self->lock);
  if (--job->working == 0)
    g_cond_signal(&job->self->ended);
  g_mutex_unlock(&job->self->lock);
}

/* Returns how many threads besides the caller's there are for a job: @wanted, or fewer where no more can be started. */
static guint
start_threads(MsStaging *self, guint wanted)
{
  if (wanted == 0)
    return 0;
  if (!self->threads)
    self->threads = g_thread_pool_new(run_pooled_lane, NULL, (gint)wanted, TRUE, NULL);
  else if (g_thread_pool_get_max_threads(self->threads) < (gint)wanted)
    g_thread_pool_set_max_threads(self->threads, (gint)wanted, NULL);
  return self->threads ? MIN(wanted, g_thread_pool_get_num_threads(self->threads)) : 0;
}

/* (transfer full): a transfer with @n lanes at most, which none of them has begun. */
static Job *
job_new(MsStaging *self, const MsStagedWork *work, guint n)
{
  Job *job = g_new0(Job, 1);

  job->self = self;
  job->work = *work;
  job->n_lanes = CLAMP(n, 1, MOST_LANES);
  job->enqueued = g_new0(gsize, work->n_parts);
  job->chunk_bytes = chunk_for(self, bytes_of(work), job->n_lanes);
  for (guint i = 0; i < job->n_lanes; i++)
    job->lanes[i] = (LaneJob){job, self->lanes[i]};
  return job;
}

static void
job_free(Job *job)
{
  g_clear_pointer(&job->ends[0], clReleaseEvent);
  g_clear_pointer(&job->ends[1], clReleaseEvent);
  g_clear_error(&job->error);
  g_free(job->enqueued);
  g_free(job);
}

/* Starts the lanes from @first on in threads of the pool; returns how many, of which some may have ended by now. */
static guint
push_lanes(Job *job, guint first)
{
  const guint n = start_threads(job->self, job->n_lanes - first);

  job->working = n;
  for (guint i = n; i > 0; i--)
    g_thread_pool_push(job->self->threads, &job->lanes[first + i - 1], NULL);
  return n;
}

static void
wait_for_lanes(Job *job)
{
  g_mutex_lock(&job->self->lock);
  while (job->working > 0)
    g_cond_wait(&job->self->ended, &job->self->lock);
  g_mutex_unlock(&job->self->lock);
}

/* Frees the transfer, of which no lane is at work. */
static gboolean
end_job(Job *job, MsTimingLog *log, GError **error)
{
  const gboolean good = !job->error;

  if (good && log)
    ms_timing_log_add_events(log, job->work.upload ? MS_STAGE_UPLOAD : MS_STAGE_DOWNLOAD, bytes_of(&job->work),
                             job->ends, job->ends[1] ? 2 : 1);
  if (!good)
    g_propagate_error(error, g_steal_pointer(&job->error));
  job_free(job);
  return good;
}

/**
 * ms_staging_start:
 * @lanes: threads to copy with
 * @work: copied; its parts, what they point to and its data must stay until ms_staged_transfer_end()
 *
 * Begins a transfer in threads of its own. Other transfers of @self wait until this one has ended.
 *
 * Returns: (transfer full) (nullable): for ms_staged_transfer_end(); %NULL where no thread can be started
 */
MsStagedTransfer *
ms_staging_start(MsStaging *self, guint lanes, const MsStagedWork *work)
{
  Job *job = job_new(self, work, lanes);

  g_mutex_lock(&self->busy);
  if (push_lanes(job, 0) > 0)
    return job;
  g_mutex_unlock(&self->busy);
  job_free(job);
  return NULL;
}

/**
 * ms_staged_transfer_end: waits for the transfer, on the thread that started it; as ms_staging_upload() does.
 *
 * Returns: %FALSE with #MS_ERROR_DEVICE, or G_IO_ERROR_CANCELLED where MsStagedWork.ready gave it up
 */
gboolean
ms_staged_transfer_end(MsStagedTransfer *self, MsTimingLog *log, GError **error)
{
  wait_for_lanes(self);
  /* Pool threads that could pin no memory took no chunks. */
  run_lane(&self->lanes[0]);
  g_mutex_unlock(&self->self->busy);
  return end_job(self, log, error);
}

/* Runs the first lane in the caller's thread. */
static gboolean
run_copy(MsStaging *self, const MsStagedCopy *copy, const MsStagedWork *work, MsTimingLog *log, GError **error)
{
  const gsize n_chunks = (copy->bytes + self->chunk_bytes - 1) / self->chunk_bytes;
  Job *job = job_new(self, work, (guint)MIN(CLAMP(copy->lanes, 1, MOST_LANES), n_chunks));

  g_mutex_lock(&self->busy);
  push_lanes(job, 1);
  run_lane(&job->lanes[0]);
  wait_for_lanes(job);
  g_mutex_unlock(&self->busy);
  return end_job(job, log, error);
}

/**
 * ms_staging_upload:
 * @log: (nullable): gets one row, from the first chunk's start to the last chunk's end
 *
 * When it returns, the bytes are on the device and @from may be reused. Calls from several threads wait for each other.
 */
gboolean
ms_staging_upload(MsStaging *self, const MsStagedCopy *copy, const void *from, MsTimingLog *log, GError **error)
{
  const MsStagedPart part = {copy->buffer, copy->offset, copy->bytes, (guint8 *)from};

  return run_copy(self, copy, &(MsStagedWork){.upload = TRUE, .parts = &part, .n_parts = 1}, log, error);
}

/**
 * ms_staging_download: copies from the buffer to @into once everything enqueued before has ended; @into is complete on
 * return.
 */
gboolean
ms_staging_download(MsStaging *self, const MsStagedCopy *copy, void *into, MsTimingLog *log, GError **error)
{
  const MsStagedPart part = {copy->buffer, copy->offset, copy->bytes, into};

  return run_copy(self, copy, &(MsStagedWork){.parts = &part, .n_parts = 1}, log, error);
}
