/* SPDX-License-Identifier: MIT */
#include "core/opencl/staging.h"

#include <string.h>

#include "core/opencl/cl.h"

/* A lane copies one slot while the device transfers the other. */
#define SLOTS 2

/* Each lane transfers at least half of this; for smaller transfers, pinning costs more time than it saves. */
#define LEAST_BYTES ((gsize)8 << 20)
#define MOST_LANES 8

/* The transfers of a lane whose times are read: its first and its last, since the queue is in order. */
#define TIMED 2

typedef struct {
  cl_mem memory;
  guint8 *host;
  cl_event moving; /* (nullable): set while the device works on the slot */
  gsize chunk;     /* which part of the job the slot holds */
} Slot;

struct _MsStaging {
  cl_context context;
  cl_command_queue queue;
  gsize chunk_bytes;
  Slot lanes[MOST_LANES][SLOTS]; /* pinned when first used, except the first, which ms_staging_new() pins */
  GMutex busy;                   /* held during a job, which uses all slots */
  GThreadPool *threads;          /* (nullable): wait between jobs, because starting threads for each job takes time */
  GMutex lock;                   /* guards the last three members of the job */
  GCond ended;                   /* signalled when no thread of the pool works on the job any more */
};

/* One transfer, which the lanes carry out chunk by chunk. */
typedef struct {
  MsStaging *self;
  gboolean upload;
  MsStagedCopy copy;
  guint8 *host;
  gsize n_chunks;
  cl_event events[MOST_LANES * TIMED]; /* of each lane, for the timings */
  guint working;                       /* threads of the pool that have not ended their part */
  gsize next;                          /* the first chunk that no lane has taken */
  GError *error;                       /* the first failure, after which lanes take no more chunks */
} Job;

/* What one thread does of a job. */
typedef struct {
  Job *job;
  Slot *slots;
  cl_event *timed; /* those of this lane among the events of the job */
} LaneJob;

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
  const guint lanes = (guint)MIN(MIN(processors / 2, MOST_LANES), bytes / (LEAST_BYTES / 2));

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
  g_mutex_init(&self->lock);
  g_cond_init(&self->ended);
  return pin_lane(self, self->lanes[0], error) ? g_steal_pointer(&self) : NULL;
}

static gboolean
take_chunk(Job *job, gsize *chunk)
{
  g_mutex_lock(&job->self->lock);
  gboolean taken = !job->error && job->next < job->n_chunks;
  if (taken)
    *chunk = job->next++;
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
}

static gsize
chunk_length(const Job *job, gsize chunk)
{
  const gsize size = job->self->chunk_bytes;

  return MIN(size, job->copy.bytes - chunk * size);
}

/* Enqueues the transfer of one chunk; an upload copies the bytes into the slot first. */
static gboolean
start_slot(Job *job, Slot *slot, gsize chunk, GError **error)
{
  const gsize at = chunk * job->self->chunk_bytes, length = chunk_length(job, chunk);
  const gsize offset = job->copy.offset + at;
  cl_command_queue queue = job->self->queue;
  cl_mem buffer = job->copy.buffer;
  cl_int status;

  slot->chunk = chunk;
  if (job->upload)
    memcpy(slot->host, job->host + at, length);
  status = job->upload
             ? clEnqueueWriteBuffer(queue, buffer, CL_FALSE, offset, length, slot->host, 0, NULL, &slot->moving)
             : clEnqueueReadBuffer(queue, buffer, CL_FALSE, offset, length, slot->host, 0, NULL, &slot->moving);
  return ms_cl_check(status, error, "transferring %zu bytes through pinned memory", length) &&
         ms_cl_check(clFlush(queue), error, "flushing the queue");
}

/* Waits until the device has finished with the slot, and copies out what was downloaded. */
static gboolean
finish_slot(const LaneJob *lane, Slot *slot, GError **error)
{
  Job *job = lane->job;
  cl_event *timed = lane->timed[0] ? &lane->timed[1] : &lane->timed[0];

  if (!slot->moving)
    return TRUE;
  const cl_int status = clWaitForEvents(1, &slot->moving);
  gboolean good = ms_cl_check(status, error, "waiting for the device");

  if (!good)
    (void)clFinish(job->self->queue); /* the slot is used again */
  if (good && !job->upload)
    memcpy(job->host + slot->chunk * job->self->chunk_bytes, slot->host, chunk_length(job, slot->chunk));
  /* The first event and the latest one are kept: reading all times takes longer than a tenth of the transfers. */
  g_clear_pointer(timed, clReleaseEvent);
  *timed = g_steal_pointer(&slot->moving);
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
  gsize chunk = 0;
  guint turn = 0;

  if (!pin_lane(lane->job->self, lane->slots, NULL))
    return;
  while (good && take_chunk(lane->job, &chunk)) {
    g_autoptr(GError) error = NULL;
    Slot *slot = &lane->slots[turn++ % SLOTS];
    good = finish_slot(lane, slot, &error) && start_slot(lane->job, slot, chunk, &error);
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

/* Runs the first lane in the caller's thread. */
static void
run_lanes(Job *job)
{
  const guint n = (guint)MIN(CLAMP(job->copy.lanes, 1, MOST_LANES), job->n_chunks);
  LaneJob lanes[MOST_LANES];

  job->working = start_threads(job->self, n - 1);
  for (guint i = 0; i < n; i++)
    lanes[i] = (LaneJob){job, job->self->lanes[i], &job->events[i * TIMED]};
  for (guint i = job->working; i > 0; i--)
    g_thread_pool_push(job->self->threads, &lanes[i], NULL);
  run_lane(&lanes[0]);
  g_mutex_lock(&job->self->lock);
  while (job->working > 0)
    g_cond_wait(&job->self->ended, &job->self->lock);
  g_mutex_unlock(&job->self->lock);
}

static void
add_times(const Job *job, MsTimingLog *log)
{
  cl_event events[G_N_ELEMENTS(job->events)];
  gsize n = 0;

  for (gsize i = 0; i < G_N_ELEMENTS(job->events); i++)
    if (job->events[i])
      events[n++] = job->events[i];
  ms_timing_log_add_events(log, job->upload ? MS_STAGE_UPLOAD : MS_STAGE_DOWNLOAD, job->copy.bytes, events, n);
}

static gboolean
run_job(Job *job, MsTimingLog *log, GError **error)
{
  job->n_chunks = (job->copy.bytes + job->self->chunk_bytes - 1) / job->self->chunk_bytes;
  g_mutex_lock(&job->self->busy);
  run_lanes(job);
  g_mutex_unlock(&job->self->busy);
  if (!job->error && log)
    add_times(job, log);
  for (gsize i = 0; i < G_N_ELEMENTS(job->events); i++)
    g_clear_pointer(&job->events[i], clReleaseEvent);
  if (!job->error)
    return TRUE;
  g_propagate_error(error, job->error);
  return FALSE;
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
  Job job = {.self = self, .upload = TRUE, .copy = *copy, .host = (guint8 *)from};

  return run_job(&job, log, error);
}

/**
 * ms_staging_download: copies from the buffer to @into once everything enqueued before has ended; @into is complete on
 * return.
 */
gboolean
ms_staging_download(MsStaging *self, const MsStagedCopy *copy, void *into, MsTimingLog *log, GError **error)
{
  Job job = {.self = self, .upload = FALSE, .copy = *copy, .host = into};

  return run_job(&job, log, error);
}
