/* SPDX-License-Identifier: MIT */
#include "core/opencl/context-private.h"

#include "core/opencl/cl-error.h"
#include "core/opencl/compiler-probe.h"
#include "core/opencl/program-cache.h"

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
  return ms_cl_check(status, error, "creating a command queue on %s", ms_device_get_name(self->device));
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
  if (!ms_device_check_limits(device, error))
    return NULL;
  self->context = clCreateContext(NULL, 1, &id, NULL, NULL, &status);
  if (!ms_cl_check(status, error, "opening the device %s", ms_device_get_name(device)))
    return NULL;
  ms_device_set_extensions(device, ms_compiler_probe(self->context, device, self->cache_folder));
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
  sibling->transfer_form = self->transfer_form;
  sibling->processors = self->processors;
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

/** ms_context_set_cache_folder: sets the folder of program binaries; %NULL disables the cache. */
void
ms_context_set_cache_folder(MsContext *self, const char *folder)
{
  g_free(self->cache_folder);
  self->cache_folder = g_strdup(folder);
}

/* Waits for the commands after a failed wait, because the caller frees the memory that they access. */
static gboolean
check_wait(MsContext *self, cl_int status, GError **error)
{
  if (status != CL_SUCCESS)
    (void)clFinish(self->queue);
  return ms_cl_check(status, error, "waiting for the device");
}

/** ms_context_wait: waits until @event has completed; for ever, if the driver never says so. */
gboolean
ms_context_wait(MsContext *self, cl_event event, GError **error)
{
  return check_wait(self, clWaitForEvents(1, &event), error);
}

/** ms_context_finish: waits for everything enqueued. */
gboolean
ms_context_finish(MsContext *self, GError **error)
{
  return check_wait(self, clFinish(self->queue), error);
}

/** ms_context_set_transfer_form: forces one form of transfer, for measurements that compare the forms. */
void
ms_context_set_transfer_form(MsContext *self, MsTransferForm form)
{
  self->transfer_form = form;
}

/** ms_context_set_processors: the processors of the host for transfers, first all; siblings made later inherit it. */
void
ms_context_set_processors(MsContext *self, guint processors)
{
  self->processors = processors;
}

/**
 * ms_context_lock_kernels: waits until no sibling runs kernels. The times of kernels of two queues that run
 * concurrently would include each other; transfers need no lock.
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

  if (ms_cl_check(status, error, "allocating %zu bytes on %s", bytes, ms_device_get_name(self->device)))
    return buffer;
  return NULL;
}

/** ms_nd_range_of_groups: @groups work-groups of @group work-items in one dimension. */
MsNDRange
ms_nd_range_of_groups(gsize groups, gsize group)
{
  return (MsNDRange){.dimensions = 1, .global = {groups * group}, .local = {group}};
}

/** ms_context_launch: enqueues and flushes, and does not wait; @log: (nullable): gets the event. */
gboolean
ms_context_launch(MsContext *self, const MsLaunch *launch, MsTimingLog *log, GError **error)
{
  const MsNDRange *range = &launch->range;
  g_auto(cl_event) event = NULL;
  cl_int status = clEnqueueNDRangeKernel(self->queue, launch->kernel, range->dimensions, range->offset, range->global,
                                         range->local[0] ? range->local : NULL, 0, NULL, &event);

  if (!ms_cl_check(status, error, "launching the kernel %s", launch->name))
    return FALSE;
  if (log)
    ms_timing_log_add_event(log, MS_STAGE_KERNEL, launch->name, launch->bytes, event);
  return ms_cl_check(clFlush(self->queue), error, "flushing the queue");
}
