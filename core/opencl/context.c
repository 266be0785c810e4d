/* SPDX-License-Identifier: MIT */
#include "core/opencl/context.h"

#include <stdlib.h>
#include <string.h>

#include "core/folder.h"
#include "core/opencl/device-clock.h"
#include "core/opencl/transfers.h"

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
 * A file beside the cached binaries keeps what is known about a device with its driver, so that a start builds no
 * program but those that it runs. Deleting the file only costs the time of finding out again.
 */
#define NOTE_GROUP "device"

static const char *const bytes_parts[] = {
  "prelude/names.cl", "rows/lanes-32.cl",     "rows/fold.cl",        "rows/probe-lanes.cl",
  "rows/counts.cl",   "rows/colour-bytes.cl", "rows/probe-bytes.cl", NULL};
static const char *const lanes_parts[] = {"rows/lanes-32.cl", "rows/fold.cl", "rows/probe-lanes.cl", NULL};

static void
add_parts(MsProgramSpec *spec, const char *const *parts)
{
  ms_program_spec_define_int(spec, "NO_DATA", 1);
  ms_program_spec_define_text(spec, "TEST", "in_16");
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

/* Takes over what the note says; %FALSE where there is none. */
static gboolean
read_note(MsContext *self)
{
  g_autofree char *path = note_path(self);
  g_autoptr(GKeyFile) file = g_key_file_new();
  MsDeviceLimits *limits = &self->device->limits;
  g_autoptr(GError) error = NULL;

  if (!path || !g_key_file_load_from_file(file, path, G_KEY_FILE_NONE, NULL))
    return FALSE;
  limits->clang_vectors = g_key_file_get_boolean(file, NOTE_GROUP, "clang-vectors", &error);
  if (!error)
    limits->byte_products = g_key_file_get_boolean(file, NOTE_GROUP, "byte-products", &error);
  if (!error)
    self->by_wall_clock = g_key_file_get_boolean(file, NOTE_GROUP, "by-wall-clock", &error);
  if (!error)
    self->works = g_key_file_get_boolean(file, NOTE_GROUP, "works", &error);
  return !error;
}

/* If the note cannot be written, only the time of the next start is lost. */
static void
write_note(MsContext *self)
{
  g_autofree char *path = note_path(self);
  g_autoptr(GKeyFile) file = g_key_file_new();
  const MsDeviceLimits *limits = &self->device->limits;
  g_autoptr(GError) error = NULL;

  g_key_file_set_boolean(file, NOTE_GROUP, "clang-vectors", limits->clang_vectors);
  g_key_file_set_boolean(file, NOTE_GROUP, "byte-products", limits->byte_products);
  g_key_file_set_boolean(file, NOTE_GROUP, "by-wall-clock", self->by_wall_clock);
  g_key_file_set_boolean(file, NOTE_GROUP, "works", self->works);
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
static void
probe_compiler(MsContext *self)
{
  MsDeviceLimits *limits = &self->device->limits;

  limits->byte_products = limits->vector_bytes >= LEAST_VECTOR_BYTES_OF_PRODUCTS && builds(self, bytes_parts);
  limits->clang_vectors = limits->byte_products || builds(self, lanes_parts);
}

/* Finds out what the device's limits do not say, by the note of an earlier start or by probing. */
static void
find_out(MsContext *self)
{
  const MsDeviceLimits *limits = &self->device->limits;
  const gboolean has_vectors = limits->type == MS_DEVICE_TYPE_CPU && limits->vector_bytes >= LEAST_VECTOR_BYTES;

  if (read_note(self))
    return;
  const gboolean knows_clock = ms_device_clock_is_known(self->device);
  if (!has_vectors && knows_clock)
    return;
  if (has_vectors)
    probe_compiler(self);
  self->by_wall_clock = !knows_clock && ms_device_clock_probe(self);
  write_note(self);
}

/** ms_context_root: (transfer none): the context whose programs and pinned memory this one uses, mostly itself. */
MsContext *
ms_context_root(MsContext *self)
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
  g_debug("device %s: %s (%s), driver %s", device->address, device->name, device->platform, device->driver);
  if (!create_queue(self, error))
    return NULL;
  find_out(self);
  return g_steal_pointer(&self);
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

  sibling->root = ms_context_ref(ms_context_root(self));
  g_atomic_int_set(&sibling->root->has_siblings, TRUE);
  clRetainContext(self->cl);
  sibling->cl = self->cl;
  sibling->transfer_form = self->transfer_form;
  sibling->by_wall_clock = self->by_wall_clock;
  sibling->processors = self->processors;
  return create_queue(sibling, error) ? g_steal_pointer(&sibling) : NULL;
}

/**
 * ms_context_lock_kernels: waits until no sibling runs kernels. The times of kernels of two queues that run
 * concurrently would include each other; transfers need no lock.
 */
void
ms_context_lock_kernels(MsContext *self)
{
  g_mutex_lock(&ms_context_root(self)->kernel_lock);
}

/** ms_context_unlock_kernels: the kernels have finished, so a sibling may run its own. */
void
ms_context_unlock_kernels(MsContext *self)
{
  g_mutex_unlock(&ms_context_root(self)->kernel_lock);
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
  MsContext *root = ms_context_root(self);
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

/** ms_kernel_new: (transfer full): a kernel of the program, which is built first if necessary. */
cl_kernel
ms_kernel_new(MsContext *context, MsProgramSpec *spec, const char *name, MsTimingLog *log, GError **error)
{
  MsProgram *program = ms_context_build(context, spec, log, error);

  return program ? ms_program_create_kernel(program, name, error) : NULL;
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
  MsContext *root = ms_context_root(self);
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

/**
 * ms_context_begin_command:
 * @log: (nullable)
 *
 * Returns: for ms_context_log_command(): where a command is timed by the clock, the time at which the queue is empty
 *   before it; else 0
 */
guint64
ms_context_begin_command(MsContext *self, MsTimingLog *log)
{
  if (!log || !self->by_wall_clock || ms_cl_finish(self->queue) != CL_SUCCESS)
    return 0;
  return (guint64)g_get_monotonic_time() * 1000;
}

/**
 * ms_context_log_command:
 * @begun_ns: from ms_context_begin_command()
 * @row: its stage, kernel and bytes
 * @event: (transfer none): of the command, which has been enqueued
 * @log: (nullable): gets the row, with the times of the event, or those between which the queue was busy
 */
void
ms_context_log_command(MsContext *self, guint64 begun_ns, const MsTiming *row, cl_event event, MsTimingLog *log)
{
  if (!log)
    return;
  if (begun_ns == 0 || ms_cl_finish(self->queue) != CL_SUCCESS) {
    ms_timing_log_add_event(log, row->stage, row->kernel, row->bytes, event);
    return;
  }
  MsTiming timed = *row;
  timed.queued_ns = timed.submitted_ns = timed.started_ns = begun_ns;
  timed.ended_ns = (guint64)g_get_monotonic_time() * 1000;
  timed.by_wall_clock = TRUE;
  ms_timing_log_add(log, &timed);
}

/** ms_context_launch: enqueues and flushes, and does not wait; @log: (nullable): gets the event. */
gboolean
ms_context_launch(MsContext *self, const MsLaunch *launch, MsTimingLog *log, GError **error)
{
  const MsNDRange *range = &launch->range;
  const guint64 begun_ns = ms_context_begin_command(self, log);
  g_auto(cl_event) event = NULL;
  cl_int status = clEnqueueNDRangeKernel(self->queue, launch->kernel, range->dimensions, range->offset, range->global,
                                         range->local[0] ? range->local : NULL, 0, NULL, log ? &event : NULL);

  if (!ms_cl_check(status, error, "launching the kernel %s", launch->name))
    return FALSE;
  if (self->launches)
    record_launch(self, launch);
  ms_context_log_command(self, begun_ns, &(MsTiming){MS_STAGE_KERNEL, launch->name, .bytes = launch->bytes}, event,
                         log);
  return ms_cl_check(clFlush(self->queue), error, "flushing the queue");
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
  kernel = ms_kernel_new(self, spec, "probe", NULL, error);
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
  if (!g_getenv(MS_CONTEXT_PROBE_VARIABLE) && self->works)
    return TRUE;
  if (!ms_context_probe(self, error))
    return FALSE;
  self->works = TRUE;
  write_note(self);
  return TRUE;
}
