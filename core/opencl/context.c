/* SPDX-License-Identifier: MIT */
#include "core/opencl/context.h"

#include "core/opencl/cl-error.h"
#include "core/opencl/program-cache.h"
#include "core/opencl/staging.h"

/*
 * Of pinned memory a time: enough for a copy to reach its speed, little enough that a lane's two slots are quickly
 * pinned.
 */
#define STAGING_CHUNK ((gsize)1 << 20)

struct _MsContext {
  GObject parent_instance;
  MsDevice *device;
  cl_context context;
  cl_command_queue queue;
  MsContext *root;      /* (nullable): the context whose programs a sibling shares */
  GHashTable *programs; /* hash of the spec -> MsProgram */
  GMutex build_lock;    /* of @programs: siblings build from several threads */
  GMutex kernel_lock;   /* held by the sibling whose kernels run */
  char *cache_folder;
  guint watchdog_ms;
  guint processors; /* of the host, which copy for large transfers */
  MsTransferForm transfer_form;
  MsStaging *staging; /* (nullable): made for the first transfer that wants it */
  gboolean cannot_stage;
};

G_DEFINE_FINAL_TYPE(MsContext, ms_context, G_TYPE_OBJECT)

static void
ms_context_finalize(GObject *object)
{
  MsContext *self = MS_CONTEXT(object);

  g_clear_pointer(&self->programs, g_hash_table_unref);
  g_clear_pointer(&self->staging, ms_staging_free);
  g_clear_pointer(&self->queue, clReleaseCommandQueue);
  g_clear_pointer(&self->context, clReleaseContext);
  g_clear_object(&self->device);
  g_clear_object(&self->root);
  g_mutex_clear(&self->build_lock);
  g_mutex_clear(&self->kernel_lock);
  g_free(self->cache_folder);
  G_OBJECT_CLASS(ms_context_parent_class)->finalize(object);
}

static void
ms_context_class_init(MsContextClass *klass)
{
  G_OBJECT_CLASS(klass)->finalize = ms_context_finalize;
}

static void
ms_context_init(MsContext *self)
{
  g_mutex_init(&self->build_lock);
  g_mutex_init(&self->kernel_lock);
  self->programs = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_object_unref);
  self->cache_folder = ms_program_cache_folder();
  self->processors = g_get_num_processors();
}

static MsContext *
root_of(MsContext *self)
{
  return self->root ? self->root : self;
}

static gboolean
create_queue(MsContext *self, GError **error)
{
  cl_int status = CL_SUCCESS;

  self->queue = clCreateCommandQueue(self->context, ms_device_get_id(self->device), CL_QUEUE_PROFILING_ENABLE, &status);
  return ms_cl_check(status, error, "making a command queue on %s", ms_device_get_name(self->device));
}

/**
 * ms_context_new:
 * @device: the device to work on
 *
 * Returns: (transfer full): a context with an in-order queue that profiles, or %NULL with @error set
 */
MsContext *
ms_context_new(MsDevice *device, GError **error)
{
  g_autoptr(MsContext) self = g_object_new(MS_TYPE_CONTEXT, NULL);
  cl_device_id id = ms_device_get_id(device);
  cl_int status = CL_SUCCESS;

  self->device = g_object_ref(device);
  self->context = clCreateContext(NULL, 1, &id, NULL, NULL, &status);
  if (!ms_cl_check(status, error, "opening the device %s", ms_device_get_name(device)))
    return NULL;
  return create_queue(self, error) ? g_steal_pointer(&self) : NULL;
}

/**
 * ms_context_new_sibling:
 *
 * A sibling has its own queue and pinned memory, so that its transfers overlap the kernels of @self; it shares the
 * OpenCL context and the programs of @self. The two may be used from two threads.
 *
 * Returns: (transfer full): the sibling, or %NULL with #MS_ERROR_DEVICE
 */
MsContext *
ms_context_new_sibling(MsContext *self, GError **error)
{
  g_autoptr(MsContext) sibling = g_object_new(MS_TYPE_CONTEXT, NULL);

  sibling->root = g_object_ref(root_of(self));
  sibling->device = g_object_ref(self->device);
  clRetainContext(self->context);
  sibling->context = self->context;
  sibling->watchdog_ms = self->watchdog_ms;
  sibling->transfer_form = self->transfer_form;
  return create_queue(sibling, error) ? g_steal_pointer(&sibling) : NULL;
}

MsDevice *
ms_context_get_device(MsContext *self)
{
  return self->device;
}

const MsDeviceLimits *
ms_context_get_limits(MsContext *self)
{
  return ms_device_get_limits(self->device);
}

cl_context
ms_context_get_cl(MsContext *self)
{
  return self->context;
}

cl_command_queue
ms_context_get_queue(MsContext *self)
{
  return self->queue;
}

/** ms_context_set_cache_folder: where program binaries are kept; %NULL keeps none. */
void
ms_context_set_cache_folder(MsContext *self, const char *folder)
{
  g_free(self->cache_folder);
  self->cache_folder = g_strdup(folder);
}

/** ms_context_set_watchdog: how long a wait may last before the device counts as hung; 0 waits for ever. */
void
ms_context_set_watchdog(MsContext *self, guint milliseconds)
{
  self->watchdog_ms = milliseconds;
}

/** ms_context_set_transfer_form: for comparing; the automatic form is right for every other use. */
void
ms_context_set_transfer_form(MsContext *self, MsTransferForm form)
{
  self->transfer_form = form;
}

/**
 * ms_context_lock_kernels: waits until no sibling runs kernels. Kernels of two queues that run at the same time would
 * count in each other's times; transfers need no lock.
 */
void
ms_context_lock_kernels(MsContext *self)
{
  g_mutex_lock(&root_of(self)->kernel_lock);
}

/** ms_context_unlock_kernels: the kernels have finished, so a sibling may run its own. */
void
ms_context_unlock_kernels(MsContext *self)
{
  g_mutex_unlock(&root_of(self)->kernel_lock);
}

static MsProgram *
find_or_build(MsContext *self, MsProgramSpec *spec, MsTimingLog *log, GError **error)
{
  g_autofree char *hash = ms_program_spec_hash(spec);
  MsProgram *program = g_hash_table_lookup(self->programs, hash);
  gint64 start = g_get_monotonic_time();

  if (program)
    return program;
  program = ms_program_build(self->context, self->device, spec, self->cache_folder, error);
  if (!program)
    return NULL;
  if (log)
    ms_timing_log_add_host(log, MS_STAGE_BUILD, ms_program_is_from_cache(program) ? "cached" : "source", 0, start);
  g_hash_table_insert(self->programs, g_steal_pointer(&hash), program);
  return program;
}

/**
 * ms_context_build:
 * @log: (nullable): gets a build row when the program was not built before in this context
 *
 * Returns: (transfer none): the program, kept by the context and its siblings; %NULL with #MS_ERROR_BUILD
 */
MsProgram *
ms_context_build(MsContext *self, MsProgramSpec *spec, MsTimingLog *log, GError **error)
{
  MsContext *root = root_of(self);

  g_mutex_lock(&root->build_lock);
  MsProgram *program = find_or_build(root, spec, log, error);
  g_mutex_unlock(&root->build_lock);
  return program;
}

/** ms_context_create_buffer: (transfer full): a buffer; keep it in a g_auto(cl_mem). */
cl_mem
ms_context_create_buffer(MsContext *self, cl_mem_flags flags, gsize bytes, void *host, GError **error)
{
  cl_int status = CL_SUCCESS;
  cl_mem buffer = clCreateBuffer(self->context, flags, bytes, host, &status);

  if (ms_cl_check(status, error, "allocating %" G_GSIZE_FORMAT " bytes on %s", bytes, ms_device_get_name(self->device)))
    return buffer;
  return NULL;
}

/**
 * ms_context_launch:
 * @kernel: with all its arguments set
 * @name: the kernel's name in the timings
 * @bytes: bytes the kernel moves at least, for GB/s; 0 when that says nothing
 * @log: (nullable): gets the event
 *
 * Enqueues and flushes; does not wait.
 */
gboolean
ms_context_launch(MsContext *self, cl_kernel kernel, const char *name, const MsNDRange *range, guint64 bytes,
                  MsTimingLog *log, GError **error)
{
  g_auto(cl_event) event = NULL;
  cl_int status = clEnqueueNDRangeKernel(self->queue, kernel, range->dimensions, range->offset, range->global,
                                         range->local[0] ? range->local : NULL, 0, NULL, &event);

  if (!ms_cl_check(status, error, "launching the kernel %s", name))
    return FALSE;
  if (log)
    ms_timing_log_add_event(log, MS_STAGE_KERNEL, name, bytes, event);
  return ms_cl_check(clFlush(self->queue), error, "flushing the queue");
}

typedef struct {
  gatomicrefcount references;
  GMutex lock;
  GCond ended;
  gboolean done;
  cl_int status;
} Waiter;

static void
waiter_unref(Waiter *waiter)
{
  if (!g_atomic_ref_count_dec(&waiter->references))
    return;
  g_mutex_clear(&waiter->lock);
  g_cond_clear(&waiter->ended);
  g_free(waiter);
}

static void CL_CALLBACK
wake(cl_event event, cl_int status, void *data)
{
  Waiter *waiter = data;

  g_mutex_lock(&waiter->lock);
  waiter->done = TRUE;
  waiter->status = status;
  g_cond_signal(&waiter->ended);
  g_mutex_unlock(&waiter->lock);
  waiter_unref(waiter);
}

static gboolean
waiter_wait(Waiter *waiter, guint milliseconds)
{
  gint64 deadline = g_get_monotonic_time() + (gint64)milliseconds * 1000;
  gboolean done;

  g_mutex_lock(&waiter->lock);
  while (!waiter->done && g_cond_wait_until(&waiter->ended, &waiter->lock, deadline))
    ;
  done = waiter->done;
  g_mutex_unlock(&waiter->lock);
  return done;
}

/* The waiter outlives this call when the device hangs: the runtime may still call back one day. */
static gboolean
wait_with_watchdog(MsContext *self, cl_event event, GError **error)
{
  Waiter *waiter = g_new0(Waiter, 1);
  cl_int status;
  gboolean done;

  g_atomic_ref_count_init(&waiter->references);
  g_atomic_ref_count_inc(&waiter->references);
  g_mutex_init(&waiter->lock);
  g_cond_init(&waiter->ended);
  if (clSetEventCallback(event, CL_COMPLETE, wake, waiter) != CL_SUCCESS) {
    waiter_unref(waiter);
    waiter_unref(waiter);
    return ms_cl_check(clWaitForEvents(1, &event), error, "waiting for the device");
  }
  done = waiter_wait(waiter, self->watchdog_ms);
  status = waiter->status;
  waiter_unref(waiter);
  if (done)
    return ms_cl_check(status, error, "waiting for the device");
  g_set_error(error, MS_ERROR, MS_ERROR_TIMEOUT,
              "The device %s did not answer within %.1f s. Choose another device or smaller settings.",
              ms_device_get_name(self->device), self->watchdog_ms / 1000.0);
  return FALSE;
}

static gboolean
wait_for_event(MsContext *self, cl_event event, GError **error)
{
  if (self->watchdog_ms == 0)
    return ms_cl_check(clWaitForEvents(1, &event), error, "waiting for the device");
  clFlush(self->queue);
  return wait_with_watchdog(self, event, error);
}

static gboolean
staging_wait(gpointer owner, cl_event event, GError **error)
{
  return wait_for_event(owner, event, error);
}

/*
 * How many threads stage a transfer; 0 where the driver's own way is taken. Memory that cannot be pinned is no
 * failure: the plain way gives the same bytes.
 */
static guint
staging_lanes(MsContext *self, gsize bytes)
{
  guint lanes = ms_staging_lanes_for(ms_context_get_limits(self), self->processors, bytes);

  if (self->transfer_form == MS_TRANSFER_STAGED)
    lanes = MAX(lanes, 2);
  if (self->transfer_form == MS_TRANSFER_PLAIN || lanes == 0 || bytes == 0 || self->cannot_stage)
    return 0;
  if (!self->staging)
    self->staging = ms_staging_new(self->context, self->queue, STAGING_CHUNK, staging_wait, self, NULL);
  self->cannot_stage = !self->staging;
  return self->staging ? lanes : 0;
}

/** ms_context_upload: copies @bytes to the device and waits until @from may be reused. */
gboolean
ms_context_upload(MsContext *self, cl_mem buffer, gsize offset, gsize bytes, const void *from, MsTimingLog *log,
                  GError **error)
{
  guint lanes = staging_lanes(self, bytes);
  g_auto(cl_event) event = NULL;

  if (lanes > 0)
    return ms_staging_upload(self->staging, lanes, buffer, offset, bytes, from, log, error);
  cl_int status = clEnqueueWriteBuffer(self->queue, buffer, CL_FALSE, offset, bytes, from, 0, NULL, &event);
  if (!ms_cl_check(status, error, "uploading %" G_GSIZE_FORMAT " bytes", bytes))
    return FALSE;
  if (log)
    ms_timing_log_add_event(log, MS_STAGE_UPLOAD, NULL, bytes, event);
  return wait_for_event(self, event, error);
}

/** ms_context_upload_image: copies @width x @height texels of 4 bytes to the top left of an image object and waits. */
gboolean
ms_context_upload_image(MsContext *self, cl_mem image, gsize width, gsize height, const void *from, MsTimingLog *log,
                        GError **error)
{
  const gsize origin[3] = {0, 0, 0}, extent[3] = {width, height, 1};
  g_auto(cl_event) event = NULL;
  cl_int status =
    clEnqueueWriteImage(self->queue, image, CL_FALSE, origin, extent, width * 4, 0, from, 0, NULL, &event);

  if (!ms_cl_check(status, error, "uploading an image object of %" G_GSIZE_FORMAT "x%" G_GSIZE_FORMAT, width, height))
    return FALSE;
  if (log)
    ms_timing_log_add_event(log, MS_STAGE_UPLOAD, NULL, width * height * 4, event);
  return wait_for_event(self, event, error);
}

/** ms_context_download: copies @bytes from the device once everything enqueued before has ended. */
gboolean
ms_context_download(MsContext *self, cl_mem buffer, gsize offset, gsize bytes, void *into, MsTimingLog *log,
                    GError **error)
{
  guint lanes = staging_lanes(self, bytes);
  g_auto(cl_event) event = NULL;

  if (lanes > 0)
    return ms_staging_download(self->staging, lanes, buffer, offset, bytes, into, log, error);
  cl_int status = clEnqueueReadBuffer(self->queue, buffer, CL_FALSE, offset, bytes, into, 0, NULL, &event);
  if (!ms_cl_check(status, error, "downloading %" G_GSIZE_FORMAT " bytes", bytes))
    return FALSE;
  if (log)
    ms_timing_log_add_event(log, MS_STAGE_DOWNLOAD, NULL, bytes, event);
  return wait_for_event(self, event, error);
}

/** ms_context_finish: waits for everything enqueued, under the watchdog where one is set. */
gboolean
ms_context_finish(MsContext *self, GError **error)
{
  g_auto(cl_event) event = NULL;

  if (self->watchdog_ms == 0)
    return ms_cl_check(clFinish(self->queue), error, "waiting for the device");
  if (!ms_cl_check(clEnqueueMarkerWithWaitList(self->queue, 0, NULL, &event), error, "waiting for the device"))
    return FALSE;
  return wait_for_event(self, event, error);
}

static gboolean
run_probe(MsContext *self, cl_kernel kernel, cl_mem buffer, GError **error)
{
  MsNDRange range = {.dimensions = 1, .global = {64}};
  guint32 values[64] = {0};

  if (!ms_cl_check(clSetKernelArg(kernel, 0, sizeof buffer, &buffer), error, "setting an argument") ||
      !ms_context_launch(self, kernel, "probe", &range, 0, NULL, error) ||
      !ms_context_download(self, buffer, 0, sizeof values, values, NULL, error))
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS(values); i++) {
    if (values[i] == i * i + 1)
      continue;
    g_set_error(error, MS_ERROR, MS_ERROR_DEVICE, "The device %s computes a trivial kernel wrongly.",
                ms_device_get_name(self->device));
    return FALSE;
  }
  return TRUE;
}

/** ms_context_probe: builds and runs a trivial kernel; %FALSE says why the device cannot be used. */
gboolean
ms_context_probe(MsContext *self, GError **error)
{
  g_autoptr(MsProgramSpec) spec = ms_program_spec_new();
  g_auto(cl_kernel) kernel = NULL;
  g_auto(cl_mem) buffer = NULL;
  MsProgram *program;

  ms_program_spec_add_part(spec, "probe.cl");
  program = ms_context_build(self, spec, NULL, error);
  if (!program)
    return FALSE;
  kernel = ms_program_create_kernel(program, "probe", error);
  if (!kernel)
    return FALSE;
  buffer = ms_context_create_buffer(self, CL_MEM_READ_WRITE, 64 * sizeof(guint32), NULL, error);
  return buffer && run_probe(self, kernel, buffer, error);
}
