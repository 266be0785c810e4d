/* SPDX-License-Identifier: MIT */
#include "core/opencl/context.h"

#include <stdlib.h>
#include <string.h>

#include "core/folder.h"

static void
clear_context(gpointer context)
{
  MsContext *self = context;

  g_clear_pointer(&self->programs, g_hash_table_unref);
  g_clear_pointer(&self->staging, ms_staging_free);
  g_clear_pointer(&self->pinned, ms_pinned_memory_free);
  g_clear_pointer(&self->launches, g_array_unref);
  ms_kept_buffers_clear(&self->kept);
  g_clear_pointer(&self->queue, clReleaseCommandQueue);
  g_clear_pointer(&self->cl, clReleaseContext);
  g_clear_pointer(&self->device, ms_device_unref);
  g_clear_pointer(&self->root, ms_context_unref);
  g_mutex_clear(&self->build_lock);
  g_mutex_clear(&self->kernel_lock);
  g_free(self->cache_folder);
}

void
ms_context_unref(MsContext *self)
{
  g_atomic_rc_box_release_full(self, clear_context);
}

/** ms_context_ref: Returns: (transfer full): @self */
MsContext *
ms_context_ref(MsContext *self)
{
  return g_atomic_rc_box_acquire(self);
}

/* (transfer full): no OpenCL context yet. */
static MsContext *
new_for_device(MsDevice *device)
{
  MsContext *self = g_atomic_rc_box_new0(MsContext);

  self->device = ms_device_ref(device);
  g_mutex_init(&self->build_lock);
  g_mutex_init(&self->kernel_lock);
  ms_kept_buffers_init(&self->kept);
  self->programs = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, (GDestroyNotify)ms_program_free);
  self->cache_folder = ms_program_cache_folder();
  self->processors = g_get_num_processors();
  return self;
}

/*
 * What is known about a device with its driver: a file beside the cached binaries keeps it, so that a start builds no
 * program but those that it runs. Deleting the file only costs the time of finding out again.
 */
typedef struct {
  gboolean works; /* a trivial kernel ran and computed what it should */
  MsCompilerExtensions extensions;
} DeviceNote;

#define NOTE_GROUP "device"

static const char *const bytes_parts[] = {"rows/lanes-32.cl",
                                          "rows/fold.cl",
                                          "rows/probe-lanes.cl",
                                          "rows/distance-16.cl",
                                          "rows/colour-bytes.cl",
                                          "rows/probe-bytes.cl",
                                          NULL};
static const char *const lanes_parts[] = {"rows/lanes-32.cl", "rows/fold.cl", "rows/probe-lanes.cl", NULL};

static void
add_parts(MsProgramSpec *spec, const char *const *parts)
{
  for (; *parts; parts++)
    ms_program_spec_add_part(spec, *parts);
}

/* (transfer full) (nullable): the file of the note, whose name changes with device, driver and the programs tried. */
static char *
note_path(MsContext *self)
{
  g_autoptr(MsProgramSpec) tried = ms_program_spec_new();

  if (!self->cache_folder)
    return NULL;
  ms_program_spec_add_part(tried, "probe.cl");
  add_parts(tried, bytes_parts);
  g_autofree char *key = ms_program_cache_key(self->device, tried);
  g_autofree char *name = g_strconcat(key, ".device", NULL);
  return g_build_filename(self->cache_folder, name, NULL);
}

/* Whether there is a note. */
static gboolean
read_note(MsContext *self, DeviceNote *note)
{
  g_autofree char *path = note_path(self);
  g_autoptr(GKeyFile) file = g_key_file_new();
  g_autoptr(GError) error = NULL;

  if (!path || !g_key_file_load_from_file(file, path, G_KEY_FILE_NONE, NULL))
    return FALSE;
  note->extensions.clang_vectors = g_key_file_get_boolean(file, NOTE_GROUP, "clang-vectors", &error);
  if (!error)
    note->extensions.byte_products = g_key_file_get_boolean(file, NOTE_GROUP, "byte-products", &error);
  if (!error)
    note->works = g_key_file_get_boolean(file, NOTE_GROUP, "works", &error);
  return !error;
}

/* If the note cannot be written, only the time of the next start is lost. */
static void
write_note(MsContext *self, gboolean works)
{
  g_autofree char *path = note_path(self);
  g_autoptr(GKeyFile) file = g_key_file_new();
  const MsDeviceLimits *limits = &self->device->limits;
  g_autoptr(GError) error = NULL;

  g_key_file_set_boolean(file, NOTE_GROUP, "clang-vectors", limits->clang_vectors);
  g_key_file_set_boolean(file, NOTE_GROUP, "byte-products", limits->byte_products);
  g_key_file_set_boolean(file, NOTE_GROUP, "works", works);
  if (path && (!ms_folder_make_parent(path, MS_FOLDER_PRIVATE, &error) || !g_key_file_save_to_file(file, path, &error)))
    g_debug("device: %s", error->message);
}

/* On narrower registers such vectors are no faster, and products of bytes need AVX-512, so no probe is compiled. */
#define LEAST_VECTOR_BYTES 32
#define LEAST_VECTOR_BYTES_OF_PRODUCTS 64

static gboolean
builds(MsContext *self, const char *const *parts)
{
  g_autoptr(MsProgramSpec) spec = ms_program_spec_new();
  g_autoptr(GError) error = NULL;

  add_parts(spec, parts);
  g_autoptr(MsProgram) program = ms_program_build(self->cl, self->device, spec, self->cache_folder, &error);
  if (!program)
    g_debug("program: %s", error->message);
  return program != NULL;
}

/*
 * Finds out by building a small program which language extensions the device's compiler accepts: on a processor clang's
 * vectors of thirty-two lanes with their shuffles, and the products of bytes of AVX-512, which OpenCL C does not have.
 */
static MsCompilerExtensions
probe_compiler(MsContext *self)
{
  const MsDeviceLimits *limits = &self->device->limits;

  if (limits->vector_bytes >= LEAST_VECTOR_BYTES_OF_PRODUCTS && builds(self, bytes_parts))
    return (MsCompilerExtensions){TRUE, TRUE};
  return (MsCompilerExtensions){builds(self, lanes_parts), FALSE};
}

/* Sets the extensions of the device, from the note of an earlier start or by probing. */
static void
find_extensions(MsContext *self)
{
  const MsDeviceLimits *limits = &self->device->limits;
  DeviceNote note = {0};

  if (limits->type != MS_DEVICE_TYPE_CPU || limits->vector_bytes < LEAST_VECTOR_BYTES) {
    ms_device_set_extensions(self->device, note.extensions);
    return;
  }
  const gboolean known = read_note(self, &note);
  ms_device_set_extensions(self->device, known ? note.extensions : probe_compiler(self));
  if (!known)
    write_note(self, FALSE);
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

  self->queue = clCreateCommandQueue(self->cl, self->device->id, CL_QUEUE_PROFILING_ENABLE, &status);
  return ms_cl_check(status, error, "creating a command queue on %s", self->device->name);
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
  g_autoptr(MsContext) self = new_for_device(device);
  cl_device_id id = device->id;
  cl_int status = CL_SUCCESS;

  if (!ms_device_check_limits(device, error))
    return NULL;
  self->cl = clCreateContext(NULL, 1, &id, NULL, NULL, &status);
  if (!ms_cl_check(status, error, "opening the device %s", device->name))
    return NULL;
  self->pinned = ms_pinned_memory_new();
  find_extensions(self);
  g_debug("device %s: %s (%s), driver %s", device->address, device->name, device->platform, device->driver);
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
  g_autoptr(MsContext) sibling = new_for_device(self->device);

  sibling->root = ms_context_ref(root_of(self));
  g_atomic_int_set(&sibling->root->has_siblings, TRUE);
  clRetainContext(self->cl);
  sibling->cl = self->cl;
  sibling->transfer_form = self->transfer_form;
  sibling->processors = self->processors;
  return create_queue(sibling, error) ? g_steal_pointer(&sibling) : NULL;
}

/* Waits for the commands after a failed wait, because the caller frees the memory that they access. */
static gboolean
check_wait(MsContext *self, cl_int status, GError **error)
{
  if (status != CL_SUCCESS)
    (void)clFinish(self->queue);
  return ms_cl_check(status, error, "waiting for the device");
}

/** ms_context_finish: waits for everything enqueued. */
gboolean
ms_context_finish(MsContext *self, GError **error)
{
  return check_wait(self, clFinish(self->queue), error);
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
  g_autofree char *identity = ms_program_spec_identify(spec);

  g_mutex_lock(&root->build_lock);
  MsProgram *program = g_hash_table_lookup(root->programs, identity);
  gint64 start = g_get_monotonic_time();
  if (!program) {
    program = ms_program_build(root->cl, root->device, spec, root->cache_folder, error);
    if (program && log)
      ms_timing_log_add_host(log, MS_STAGE_BUILD, ms_program_is_from_cache(program) ? "cached" : "source", 0, start);
    if (program)
      g_hash_table_insert(root->programs, g_steal_pointer(&identity), program);
  }
  g_mutex_unlock(&root->build_lock);
  return program;
}

static int
compare_identities(gconstpointer a, gconstpointer b)
{
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/**
 * ms_context_list_programs: (transfer container) (element-type MsProgram): what this context and its siblings have
 * built, in the order of their identities.
 */
GPtrArray *
ms_context_list_programs(MsContext *self)
{
  MsContext *root = root_of(self);
  GPtrArray *programs = g_ptr_array_new();

  g_mutex_lock(&root->build_lock);
  guint n = 0;
  g_autofree gpointer *identities = g_hash_table_get_keys_as_array(root->programs, &n);
  qsort(identities, n, sizeof *identities, compare_identities);
  for (guint i = 0; i < n; i++)
    g_ptr_array_add(programs, g_hash_table_lookup(root->programs, identities[i]));
  g_mutex_unlock(&root->build_lock);
  return programs;
}

/** ms_context_create_buffer: (transfer full): a buffer; keep it in a g_auto(cl_mem). */
cl_mem
ms_context_create_buffer(MsContext *self, cl_mem_flags flags, gsize bytes, void *host, GError **error)
{
  cl_int status = CL_SUCCESS;
  cl_mem buffer = clCreateBuffer(self->cl, flags, bytes, host, &status);

  return ms_cl_check(status, error, "allocating %zu bytes on %s", bytes, self->device->name) ? buffer : NULL;
}

/* The buffers that are kept take together at most this share of the device's memory. */
#define KEPT_SHARE 16

/**
 * ms_context_borrow_buffer:
 *
 * On a device with memory of its own, creating and releasing a buffer takes as long as a short kernel, so that a few
 * are kept for the next picture.
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
  const guint64 most = ms_device_has_own_memory(self->device) ? self->device->limits.global_memory / KEPT_SHARE : 0;

  ms_kept_buffers_add(&self->kept, buffer, most);
}

/** ms_nd_range_of_groups: @groups work-groups of @group work-items in one dimension. */
MsNDRange
ms_nd_range_of_groups(gsize groups, gsize group)
{
  return (MsNDRange){.dimensions = 1, .global = {groups * group}, .local = {group}};
}

static void
clear_launch(gpointer launch)
{
  clReleaseKernel(((MsLaunch *)launch)->kernel);
}

/**
 * ms_context_record_launches:
 * @launches: (nullable) (element-type MsLaunch): gets each kernel that is launched from now on, once for each
 *   work-group; owns the kernels. %NULL ends that
 */
void
ms_context_record_launches(MsContext *self, GArray *launches)
{
  g_clear_pointer(&self->launches, g_array_unref);
  if (!launches)
    return;
  self->launches = g_array_ref(launches);
  g_array_set_clear_func(launches, clear_launch);
}

static void
record_launch(MsContext *self, const MsLaunch *launch)
{
  for (guint i = 0; i < self->launches->len; i++) {
    const MsLaunch *known = &g_array_index(self->launches, MsLaunch, i);
    if (strcmp(known->name, launch->name) == 0 &&
        memcmp(known->range.local, launch->range.local, sizeof known->range.local) == 0)
      return;
  }
  if (clRetainKernel(launch->kernel) == CL_SUCCESS)
    g_array_append_vals(self->launches, launch, 1);
}

/** ms_context_launch: enqueues and flushes, and does not wait; @log: (nullable): gets the event. */
gboolean
ms_context_launch(MsContext *self, const MsLaunch *launch, MsTimingLog *log, GError **error)
{
  const MsNDRange *range = &launch->range;
  g_auto(cl_event) event = NULL;
  cl_int status = clEnqueueNDRangeKernel(self->queue, launch->kernel, range->dimensions, range->offset, range->global,
                                         range->local[0] ? range->local : NULL, 0, NULL, log ? &event : NULL);

  if (!ms_cl_check(status, error, "launching the kernel %s", launch->name))
    return FALSE;
  if (self->launches)
    record_launch(self, launch);
  if (log)
    ms_timing_log_add_event(log, MS_STAGE_KERNEL, launch->name, launch->bytes, event);
  return ms_cl_check(clFlush(self->queue), error, "flushing the queue");
}

/* Transfers between host memory and the device: by the driver, or through pinned memory where that is faster. */

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
#define MOST_OVERLAPPED_THREADS 6

static gboolean
pin(MsContext *self)
{
  if (!self->staging && !self->cannot_stage)
    self->staging = ms_staging_new(self->cl, self->queue, STAGING_BLOCK, NULL);
  self->cannot_stage = !self->staging;
  return self->staging != NULL;
}

/** ms_context_is_pinned: whether all bytes are in memory of ms_context_take_pinned(). */
gboolean
ms_context_is_pinned(MsContext *self, const void *host, gsize bytes)
{
  return ms_pinned_memory_holds(root_of(self)->pinned, host, bytes);
}

/**
 * ms_context_start_transfer: ms_staging_start() on the queue of this context, without copies where all parts are in
 * memory of ms_context_take_pinned(); %NULL also where no memory can be pinned.
 */
MsStagedTransfer *
ms_context_start_transfer(MsContext *self, const MsStagedWork *work)
{
  const guint threads = CLAMP(self->processors * 3 / 8, 1, MOST_OVERLAPPED_THREADS);
  MsStagedWork own = *work;

  own.direct = TRUE;
  for (guint i = 0; i < work->n_parts; i++) {
    own.direct = own.direct && ms_context_is_pinned(self, work->parts[i].host, work->parts[i].bytes);
    root_of(self)->moved_bytes += work->parts[i].bytes;
  }
  return pin(self) ? ms_staging_start(self->staging, threads, &own) : NULL;
}

/** ms_context_has_settled: whether later transfers of so many bytes will be as fast as the next one. */
gboolean
ms_context_has_settled(MsContext *self, gsize bytes)
{
  return self->staging || self->cannot_stage || self->transfer_form == MS_TRANSFER_PLAIN ||
         ms_staging_threads_for(&self->device->limits, self->processors, bytes) == 0;
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
      !g_atomic_int_get(&root_of(self)->has_siblings))
    return 0;
  return !ms_context_is_pinned(self, host, bytes) && pin(self) ? threads : 0;
}

/* Waits until a transfer has completed; for ever, if the driver never says so. @log: (nullable): gets its event. */
static gboolean
end_transfer(MsContext *self, MsStage stage, gsize bytes, cl_event event, MsTimingLog *log, GError **error)
{
  if (log)
    ms_timing_log_add_event(log, stage, NULL, bytes, event);
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
    return ms_staging_upload(self->staging, &(MsStagedCopy){threads, range->buffer, offset, bytes}, from, log, error);
  cl_int status = clEnqueueWriteBuffer(self->queue, range->buffer, CL_FALSE, offset, bytes, from, 0, NULL, &event);
  return ms_cl_check(status, error, "uploading %zu bytes", bytes) &&
         end_transfer(self, MS_STAGE_UPLOAD, bytes, event, log, error);
}

/** ms_context_upload_image: copies texels to an image object and waits until @from may be reused. */
gboolean
ms_context_upload_image(MsContext *self, const MsTexels *texels, const void *from, MsTimingLog *log, GError **error)
{
  const gsize width = texels->width, height = texels->height;
  const gsize origin[3] = {0, 0, 0}, extent[3] = {width, height, 1};
  g_auto(cl_event) event = NULL;
  cl_int status =
    clEnqueueWriteImage(self->queue, texels->image, CL_FALSE, origin, extent, width * 4, 0, from, 0, NULL, &event);

  return ms_cl_check(status, error, "uploading an image object of %zux%zu", width, height) &&
         end_transfer(self, MS_STAGE_UPLOAD, width * height * 4, event, log, error);
}

/** ms_context_read: the same as ms_context_download(), by one blocking read, which is the fastest for a few bytes. */
gboolean
ms_context_read(MsContext *self, const MsBufferRange *range, void *into, MsTimingLog *log, GError **error)
{
  g_auto(cl_event) event = NULL;
  const cl_int status =
    clEnqueueReadBuffer(self->queue, range->buffer, CL_TRUE, range->offset, range->bytes, into, 0, NULL, &event);

  if (!ms_cl_check(status, error, "downloading %zu bytes", range->bytes))
    return FALSE;
  if (log)
    ms_timing_log_add_event(log, MS_STAGE_DOWNLOAD, NULL, range->bytes, event);
  return TRUE;
}

/** ms_context_download: copies bytes from the device once everything enqueued before has ended. */
gboolean
ms_context_download(MsContext *self, const MsBufferRange *range, void *into, MsTimingLog *log, GError **error)
{
  const gsize offset = range->offset, bytes = range->bytes;
  guint threads = staging_threads(self, into, bytes);
  g_auto(cl_event) event = NULL;

  if (threads > 0)
    return ms_staging_download(self->staging, &(MsStagedCopy){threads, range->buffer, offset, bytes}, into, log, error);
  cl_int status = clEnqueueReadBuffer(self->queue, range->buffer, CL_FALSE, offset, bytes, into, 0, NULL, &event);
  return ms_cl_check(status, error, "downloading %zu bytes", bytes) &&
         end_transfer(self, MS_STAGE_DOWNLOAD, bytes, event, log, error);
}

/** ms_context_probe: builds and runs a trivial kernel; %FALSE says why the device cannot be used. */
gboolean
ms_context_probe(MsContext *self, GError **error)
{
  g_autoptr(MsProgramSpec) spec = ms_program_spec_new();
  guint32 values[64] = {0};
  g_auto(cl_kernel) kernel = NULL;
  g_auto(cl_mem) buffer = NULL;

  ms_program_spec_add_part(spec, "probe.cl");
  MsProgram *program = ms_context_build(self, spec, NULL, error);
  kernel = program ? ms_program_create_kernel(program, "probe", error) : NULL;
  buffer = kernel ? ms_context_create_buffer(self, CL_MEM_READ_WRITE, sizeof values, NULL, error) : NULL;
  if (!buffer || !ms_cl_check(clSetKernelArg(kernel, 0, sizeof buffer, &buffer), error, "setting an argument") ||
      !ms_context_launch(self, &(MsLaunch){kernel, "probe", {.dimensions = 1, .global = {64}}, 0}, NULL, error) ||
      !ms_context_download(self, &(MsBufferRange){buffer, 0, sizeof values}, values, NULL, error))
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS(values); i++)
    if (values[i] != i * i + 1) {
      ms_set_error(error, MS_ERROR_DEVICE, "The device %s computes a trivial kernel wrongly.", self->device->name);
      return FALSE;
    }
  return TRUE;
}

/**
 * ms_context_works: whether the device can be used, by the note of an earlier start or by trying. A device whose driver
 * has just ended a process may be lost, whatever the note says.
 */
gboolean
ms_context_works(MsContext *self, GError **error)
{
  DeviceNote note = {0};

  if (!g_getenv(MS_CONTEXT_PROBE_VARIABLE) && read_note(self, &note) && note.works)
    return TRUE;
  if (!ms_context_probe(self, error))
    return FALSE;
  write_note(self, TRUE);
  return TRUE;
}
