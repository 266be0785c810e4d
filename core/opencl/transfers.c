/* SPDX-License-Identifier: MIT */
#include "core/opencl/transfers.h"

/** ms_context_create_buffer: (transfer full): a buffer; keep it in a g_auto(cl_mem). */
cl_mem
ms_context_create_buffer(MsContext *self, cl_mem_flags flags, gsize bytes, void *host, GError **error)
{
  cl_int status = CL_SUCCESS;
  cl_mem buffer = clCreateBuffer(self->cl, flags, bytes, host, &status);

  return ms_cl_check(status, error, "allocating %zu bytes on %s", bytes, self->device->name) ? buffer : NULL;
}

/* Alignment that a host pointer needs to be used in place: the widest vector of OpenCL. */
#define HOST_ALIGNMENT 128

/**
 * ms_device_array_new:
 * @data: must outlive the buffer, which uses it in place where host and device share memory
 *
 * Returns: (transfer full): a read-only buffer of @bytes bytes with that content
 */
cl_mem
ms_device_array_new(MsContext *context, const void *data, gsize bytes, MsTimingLog *log, GError **error)
{
  g_auto(cl_mem) buffer = NULL;

  if (context->device->limits.host_unified && (guintptr)data % HOST_ALIGNMENT == 0)
    return ms_context_create_buffer(context, CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR, bytes, (gpointer)data, error);
  buffer = ms_context_create_buffer(context, CL_MEM_READ_ONLY, bytes, NULL, error);
  if (!buffer || !ms_context_upload(context, &(MsBufferRange){buffer, 0, bytes}, data, log, error))
    return NULL;
  return g_steal_pointer(&buffer);
}

/** ms_device_zeros_new: (transfer full): a buffer of zeros; @bytes is a multiple of 4. */
cl_mem
ms_device_zeros_new(MsContext *context, gsize bytes, GError **error)
{
  const cl_uint zero = 0;
  g_auto(cl_mem) buffer = ms_context_create_buffer(context, CL_MEM_READ_WRITE, bytes, NULL, error);

  if (!buffer || !ms_cl_check(clEnqueueFillBuffer(context->queue, buffer, &zero, sizeof zero, 0, bytes, 0, NULL, NULL),
                              error, "clearing a buffer"))
    return NULL;
  return g_steal_pointer(&buffer);
}

/**
 * ms_context_share_memory:
 * @host: must outlive the buffer and all commands that use it
 *
 * Returns: (transfer full) (nullable): a buffer in the memory at @host, which ms_context_show_shared() lets the host
 *   read; a runtime that cannot use that memory copies it then. %NULL where the device is no processor
 */
cl_mem
ms_context_share_memory(MsContext *self, gpointer host, gsize bytes)
{
  const MsDeviceLimits *limits = &self->device->limits;

  if (limits->type != MS_DEVICE_TYPE_CPU || !limits->host_unified)
    return NULL;
  return ms_context_create_buffer(self, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, bytes, host, NULL);
}

/*
 * The buffers that are kept take together at most this share of the device's memory, and at most so many bytes where
 * that is the host's, in which programs do other things.
 */
#define KEPT_SHARE 16
#define MOST_KEPT_OF_HOST ((guint64)64 << 20)

/**
 * ms_context_borrow_buffer:
 *
 * A few buffers are kept for the next picture. On a device with memory of its own, creating and releasing a buffer
 * takes as long as a short kernel; on a processor, threads wait for each other while the system provides the pages of a
 * new buffer.
 *
 * Returns: (transfer full): a buffer for kernels of at least @bytes, to be given to ms_context_return_buffer(); what it
 *   contains is undefined
 */
cl_mem
ms_context_borrow_buffer(MsContext *self, gsize bytes, GError **error)
{
  cl_mem kept = ms_kept_buffers_take(&self->kept, bytes);

  return kept ? kept : ms_context_create_buffer(self, CL_MEM_READ_WRITE, bytes, NULL, error);
}

/** ms_context_return_buffer: @buffer: (transfer full): that nobody uses any more, except by commands of this queue */
void
ms_context_return_buffer(MsContext *self, cl_mem buffer)
{
  const guint64 share = self->device->limits.global_memory / KEPT_SHARE;
  const guint64 most = ms_device_has_own_memory(self->device) ? share : MIN(share, MOST_KEPT_OF_HOST);

  ms_kept_buffers_add(&self->kept, buffer, most);
}

/* Waiting */

/* Waits for the commands after a failed wait, because the caller frees the memory that they access. */
static gboolean
check_wait(MsContext *self, cl_int status, GError **error)
{
  if (status != CL_SUCCESS)
    (void)ms_cl_finish(self->queue);
  return ms_cl_check(status, error, "waiting for the device");
}

/** ms_context_finish: waits for everything enqueued. */
gboolean
ms_context_finish(MsContext *self, GError **error)
{
  return check_wait(self, ms_cl_finish(self->queue), error);
}

/** ms_context_wait_for: commands that are enqueued later start after @event, which may belong to another queue. */
gboolean
ms_context_wait_for(MsContext *self, cl_event event, GError **error)
{
  return ms_cl_check(clEnqueueBarrierWithWaitList(self->queue, 1, &event, NULL), error, "enqueuing a marker");
}

/** ms_context_mark: @marker: (out) (transfer full): ends when everything enqueued so far has ended. */
gboolean
ms_context_mark(MsContext *self, cl_event *marker, GError **error)
{
  const cl_int status = clEnqueueMarkerWithWaitList(self->queue, 0, NULL, marker);

  return ms_cl_check(status, error, "enqueuing a marker") &&
         ms_cl_check(clFlush(self->queue), error, "flushing the queue");
}

/* Transfers, by the driver or through pinned memory where that is faster */

/* Bytes of a command: the device waits until they are copied, and the driver takes 25 microseconds for each command. */
#define STAGING_BLOCK ((gsize)4 << 20)

/*
 * Bytes that the driver transfers before memory is pinned: getting its pages takes as long as the driver's transfers
 * take longer. Contexts with siblings pin at once, since the driver carries out their transfers one after the other.
 */
#define PIN_AFTER ((guint64)128 << 20)

/* How many times its bytes are moved before a result is pinned, and the largest result that is. */
#define PIN_RESULT_AFTER 64
#define MOST_PINNED ((gsize)256 << 20)

/* Both directions and the thread that launches kernels share the processors while transfers overlap kernels. */
#define MOST_OVERLAPPED_THREADS 8

static gboolean
pin(MsContext *self)
{
  if (!self->staging && !self->cannot_stage)
    self->staging = ms_staging_new(self->cl, self->queue, STAGING_BLOCK, NULL);
  self->cannot_stage = !self->staging;
  return self->staging != NULL;
}

/* Whether all bytes are in memory of ms_context_take_pinned(). */
static gboolean
is_pinned(MsContext *self, const void *host, gsize bytes)
{
  return ms_pinned_memory_holds(ms_context_root(self)->pinned, host, bytes);
}

/**
 * ms_context_start_transfer: ms_staging_start() on the queue of this context, without copies of our own where the host
 * memory is that of ms_context_take_pinned(), and for the first pictures; %NULL also where no memory can be pinned.
 */
MsStagedTransfer *
ms_context_start_transfer(MsContext *self, const MsStagedWork *work)
{
  const guint threads = CLAMP(self->processors * 3 / 8, 1, MOST_OVERLAPPED_THREADS);
  MsStagedWork own = *work;

  ms_context_root(self)->moved_bytes += work->bytes;
  /* Until pinning pays, the driver copies, in the thread that leads the transfer. */
  own.direct = is_pinned(self, work->host, work->bytes) || self->transfer_form == MS_TRANSFER_PLAIN ||
               (self->transfer_form == MS_TRANSFER_AUTO && ms_context_root(self)->moved_bytes < PIN_AFTER);
  return pin(self) ? ms_staging_start(self->staging, threads, &own) : NULL;
}

/**
 * ms_context_take_pinned:
 *
 * Pinning memory takes as long as it saves in the transfers of some tens of results, so that the first results get
 * none. Not for siblings.
 *
 * Returns: (transfer full) (nullable): memory for @bytes of a result, which transfers write without a copy between; it
 *   serves again when the last reference is dropped. %NULL where ordinary memory is to be used
 */
GBytes *
ms_context_take_pinned(MsContext *self, gsize bytes)
{
  const gboolean pays = ms_staging_threads_for(&self->device->limits, self->processors, bytes) > 0 &&
                        bytes <= MOST_PINNED && self->moved_bytes / bytes >= PIN_RESULT_AFTER;

  if (self->root || !(self->transfer_form == MS_TRANSFER_AUTO ? pays : self->transfer_form == MS_TRANSFER_STAGED))
    return NULL;
  return ms_pinned_memory_take(self->pinned, self->cl, self->queue, bytes);
}

/*
 * Returns how many threads stage a transfer, or 0 for the driver's own transfer, which also serves where no memory can
 * be pinned.
 */
static guint
staging_threads(MsContext *self, const void *host, gsize bytes)
{
  guint threads = ms_staging_threads_for(&self->device->limits, self->processors, bytes);

  if (self->transfer_form == MS_TRANSFER_STAGED)
    threads = MAX(threads, 2);
  if (self->transfer_form == MS_TRANSFER_PLAIN || threads == 0 || bytes == 0)
    return 0;
  self->moved_bytes += bytes;
  if (self->transfer_form == MS_TRANSFER_AUTO && !self->staging && self->moved_bytes < PIN_AFTER &&
      !g_atomic_int_get(&ms_context_root(self)->has_siblings))
    return 0;
  return !is_pinned(self, host, bytes) && pin(self) ? threads : 0;
}

/* A transfer: its stage, bytes, and when it began, by ms_context_begin_command(). */
typedef struct {
  MsStage stage;
  gsize bytes;
  guint64 begun_ns;
} Transfer;

static void
log_transfer(MsContext *self, const Transfer *transfer, cl_event event, MsTimingLog *log)
{
  ms_context_log_command(self, transfer->begun_ns, &(MsTiming){transfer->stage, NULL, .bytes = transfer->bytes}, event,
                         log);
}

/* Waits until a transfer has completed; for ever, if the driver never says so. @log: (nullable): gets its times. */
static gboolean
end_transfer(MsContext *self, const Transfer *transfer, cl_event event, MsTimingLog *log, GError **error)
{
  log_transfer(self, transfer, event, log);
  return check_wait(self, clWaitForEvents(1, &event), error);
}

/** ms_context_upload: copies bytes to the device and waits until @from may be reused. */
gboolean
ms_context_upload(MsContext *self, const MsBufferRange *range, const void *from, MsTimingLog *log, GError **error)
{
  const gsize offset = range->offset, bytes = range->bytes;
  guint threads = staging_threads(self, from, bytes);
  g_auto(cl_event) event = NULL;

  if (threads > 0)
    return ms_staging_move(self->staging, TRUE, threads, &(MsStagedPart){range->buffer, offset, bytes, (guint8 *)from},
                           log, error);
  const Transfer transfer = {MS_STAGE_UPLOAD, bytes, ms_context_begin_command(self, log)};
  cl_int status = clEnqueueWriteBuffer(self->queue, range->buffer, CL_FALSE, offset, bytes, from, 0, NULL, &event);
  return ms_cl_check(status, error, "uploading %zu bytes", bytes) && end_transfer(self, &transfer, event, log, error);
}

/** ms_context_upload_image: copies texels to an image object and waits until @from may be reused. */
gboolean
ms_context_upload_image(MsContext *self, const MsTexels *texels, const void *from, MsTimingLog *log, GError **error)
{
  const gsize width = texels->width, height = texels->height;
  const gsize origin[3] = {0, 0, 0}, extent[3] = {width, height, 1};
  const Transfer transfer = {MS_STAGE_UPLOAD, width * height * 4, ms_context_begin_command(self, log)};
  g_auto(cl_event) event = NULL;
  cl_int status =
    clEnqueueWriteImage(self->queue, texels->image, CL_FALSE, origin, extent, width * 4, 0, from, 0, NULL, &event);

  return ms_cl_check(status, error, "uploading an image object of %zux%zu", width, height) &&
         end_transfer(self, &transfer, event, log, error);
}

/** ms_context_read: the same as ms_context_download(), by one blocking read, which is the fastest for a few bytes. */
gboolean
ms_context_read(MsContext *self, const MsBufferRange *range, void *into, MsTimingLog *log, GError **error)
{
  const Transfer transfer = {MS_STAGE_DOWNLOAD, range->bytes, ms_context_begin_command(self, log)};
  g_auto(cl_event) event = NULL;
  const cl_int status =
    clEnqueueReadBuffer(self->queue, range->buffer, CL_TRUE, range->offset, range->bytes, into, 0, NULL, &event);

  if (!ms_cl_check(status, error, "downloading %zu bytes", range->bytes))
    return FALSE;
  log_transfer(self, &transfer, event, log);
  return TRUE;
}

/** ms_context_show_shared: waits until the host sees what kernels have written to its memory in a shared buffer. */
gboolean
ms_context_show_shared(MsContext *self, const MsBufferRange *range, MsTimingLog *log, GError **error)
{
  const Transfer transfer = {MS_STAGE_DOWNLOAD, range->bytes, ms_context_begin_command(self, log)};
  cl_int status = CL_SUCCESS;
  g_auto(cl_event) event = NULL;
  void *host = clEnqueueMapBuffer(self->queue, range->buffer, CL_TRUE, CL_MAP_READ, range->offset, range->bytes, 0,
                                  NULL, &event, &status);

  if (!check_wait(self, status, error))
    return FALSE;
  log_transfer(self, &transfer, event, log);
  return ms_cl_check(clEnqueueUnmapMemObject(self->queue, range->buffer, host, 0, NULL, NULL), error,
                     "unmapping a buffer");
}

/** ms_context_download: copies bytes from the device once everything enqueued before has ended. */
gboolean
ms_context_download(MsContext *self, const MsBufferRange *range, void *into, MsTimingLog *log, GError **error)
{
  const gsize offset = range->offset, bytes = range->bytes;
  guint threads = staging_threads(self, into, bytes);
  g_auto(cl_event) event = NULL;

  if (threads > 0)
    return ms_staging_move(self->staging, FALSE, threads, &(MsStagedPart){range->buffer, offset, bytes, into}, log,
                           error);
  const Transfer transfer = {MS_STAGE_DOWNLOAD, bytes, ms_context_begin_command(self, log)};
  cl_int status = clEnqueueReadBuffer(self->queue, range->buffer, CL_FALSE, offset, bytes, into, 0, NULL, &event);
  return ms_cl_check(status, error, "downloading %zu bytes", bytes) && end_transfer(self, &transfer, event, log, error);
}
