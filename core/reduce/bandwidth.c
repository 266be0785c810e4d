/* SPDX-License-Identifier: MIT */
#include "core/reduce/bandwidth.h"

#include <math.h>

#include "core/folder.h"
#include "core/json.h"
#include "core/opencl/cl.h"
#include "core/opencl/transfers.h"

/* The array grows until a pass is long enough to time or the array is well beyond every cache. */
#define LEAST_BYTES (G_GUINT64_CONSTANT(1) << 20)
#define MOST_BYTES_CPU (G_GUINT64_CONSTANT(256) << 20)
#define MOST_BYTES (G_GUINT64_CONSTANT(1) << 30)
#define LONG_PASS_MS 50.0
#define PASSES 8
#define GROUP_NAME "bandwidth"

/** Grid: a launch geometry; the best result of several is the device's bandwidth. */
typedef struct {
  guint group;
  guint groups_per_unit;
} Grid;

static const Grid cpu_grids[] = {{1, 1}, {1, 8}, {1, 64}, {0}};
static const Grid gpu_grids[] = {{256, 8}, {512, 4}, {1024, 2}, {256, 16}, {512, 16}, {256, 64}, {0}};

typedef struct {
  MsContext *context;
  cl_mem source;
  cl_mem target;
  guint64 bytes;
  gboolean cpu;
  GCancellable *cancellable;
} Bench;

static void
bench_clear(Bench *self)
{
  g_clear_pointer(&self->source, clReleaseMemObject);
  g_clear_pointer(&self->target, clReleaseMemObject);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Bench, bench_clear)

static cl_kernel
build(const Bench *bench, guint group, const char *name, GError **error)
{
  g_autoptr(MsProgramSpec) spec = ms_program_spec_new();

  ms_program_spec_define_text(spec, "ELEM", "uint");
  ms_program_spec_define_int(spec, "GROUP", group);
  ms_program_spec_define_int(spec, "WIDTH", bench->cpu ? 16 : 4);
  ms_program_spec_define_text(spec, "ITEM_RANGE", bench->cpu ? "block_stride" : "global_stride");
  ms_program_spec_add_part(spec, "prelude/names.cl");
  ms_program_spec_add_part(spec, "reduce/load/lanes.cl");
  ms_program_spec_add_part(spec, "reduce/load/stride.cl");
  ms_program_spec_add_part(spec, "bandwidth/bandwidth.cl");
  return ms_kernel_new(bench->context, spec, name, NULL, error);
}

/*
 * The best of several passes, since disturbances only make a pass slower. The first pass is a warm-up, unless the
 * device is too slow for a second.
 */
static gboolean
best_pass_ms(const Bench *bench, const char *name, const Grid *grid, double *best, GError **error)
{
  g_auto(cl_kernel) kernel = build(bench, grid->group, name, error);
  g_autoptr(MsTimingLog) log = ms_timing_log_new();
  const guint groups = MAX(bench->context->device->limits.compute_units, 1) * grid->groups_per_unit;
  const cl_int n = (cl_int)(bench->bytes / (bench->cpu ? 64 : 16));
  const cl_int times = (cl_int)(((guint)n + groups * grid->group - 1) / (groups * grid->group));
  const MsKernelArg args[] = {MS_ARG_OF(bench->source), MS_ARG_OF(n), MS_ARG_OF(times), MS_ARG_OF(bench->target)};
  const gint64 start = g_get_monotonic_time();

  if (!kernel || !ms_kernel_set_args(kernel, name, args, G_N_ELEMENTS(args), error))
    return FALSE;
  for (guint i = 0; i < PASSES && g_get_monotonic_time() - start < 2000 * LONG_PASS_MS; i++)
    if (g_cancellable_set_error_if_cancelled(bench->cancellable, error) ||
        !ms_context_launch(bench->context,
                           &(MsLaunch){kernel, name, ms_nd_range_of_groups(groups, grid->group), bench->bytes}, log,
                           error) ||
        !ms_context_finish(bench->context, error))
      return FALSE;
  if (!ms_timing_log_resolve(log, error))
    return FALSE;
  for (guint i = ms_timing_log_get_length(log) > 1; i < ms_timing_log_get_length(log); i++) {
    double ms = ms_timing_ms(ms_timing_log_get(log, i));
    if (ms > 0 && ms < *best)
      *best = ms;
  }
  return TRUE;
}

static gboolean
best_grid_ms(const Bench *bench, const char *name, double *best, GError **error)
{
  const MsDeviceLimits *limits = &bench->context->device->limits;

  *best = G_MAXDOUBLE;
  for (const Grid *grid = bench->cpu ? cpu_grids : gpu_grids; grid->group; grid++) {
    if (grid->group > limits->max_work_group || grid->group > limits->max_work_item[0])
      continue;
    if (!best_pass_ms(bench, name, grid, best, error))
      return FALSE;
  }
  if (*best < G_MAXDOUBLE)
    return TRUE;
  ms_set_error(error, MS_ERROR_DEVICE, "The device's clock gave no usable time for the bandwidth benchmark.");
  return FALSE;
}

/* Fills the array with incompressible data, since some devices compress memory transparently. */
static gboolean
fill(const Bench *bench, GError **error)
{
  g_autofree guint32 *words = g_malloc(LEAST_BYTES);
  cl_command_queue queue = bench->context->queue;
  guint32 state = 1;

  for (gsize i = 0; i < LEAST_BYTES / 4; i++)
    words[i] = state = state * 1664525u + 1013904223u;
  if (!ms_context_upload(bench->context, &(MsBufferRange){bench->source, 0, LEAST_BYTES}, words, NULL, error))
    return FALSE;
  for (guint64 done = LEAST_BYTES; done < bench->bytes; done *= 2)
    if (!ms_cl_check(clEnqueueCopyBuffer(queue, bench->source, bench->source, 0, done, MIN(done, bench->bytes - done),
                                         0, NULL, NULL),
                     error, "filling the benchmark's array"))
      return FALSE;
  return ms_context_finish(bench->context, error);
}

static gboolean
prepare_bench(Bench *bench, guint64 bytes, GError **error)
{
  bench_clear(bench);
  bench->bytes = bytes;
  bench->source = ms_context_create_buffer(bench->context, CL_MEM_READ_WRITE, bytes, NULL, error);
  if (!bench->source)
    return FALSE;
  bench->target = ms_context_create_buffer(bench->context, CL_MEM_READ_WRITE, bytes, NULL, error);
  return bench->target && fill(bench, error);
}

static guint64
most_bytes(const MsDeviceLimits *limits)
{
  guint64 most = limits->type == MS_DEVICE_TYPE_CPU ? MOST_BYTES_CPU : MOST_BYTES;

  return MAX(LEAST_BYTES, MIN(most, MIN(limits->max_allocation, limits->global_memory / 4)));
}

/**
 * ms_bandwidth_measure:
 *
 * Takes some tenths of a second and up to two buffers of 1 GiB, or a quarter of the device's memory each.
 */
gboolean
ms_bandwidth_measure(MsContext *context, MsBandwidth *bandwidth, GCancellable *cancellable, GError **error)
{
  const MsDeviceLimits *limits = &context->device->limits;
  const guint64 most = most_bytes(limits);
  g_auto(Bench) bench = {.context = context, .cpu = limits->type == MS_DEVICE_TYPE_CPU, .cancellable = cancellable};
  double read_ms = 0, copy_ms = 0;

  for (guint64 bytes = LEAST_BYTES; bytes <= most && read_ms < LONG_PASS_MS; bytes *= 4)
    if (!prepare_bench(&bench, bytes, error) || !best_grid_ms(&bench, "bandwidth_read", &read_ms, error))
      return FALSE;
  if (!best_grid_ms(&bench, "bandwidth_copy", &copy_ms, error))
    return FALSE;
  bandwidth->read = (double)bench.bytes / read_ms * 1e-6;
  bandwidth->copy = 2 * (double)bench.bytes / copy_ms * 1e-6;
  return TRUE;
}

/* The file name depends on the driver's version too, since a new driver may change the bandwidth. */
static char *
file_for(MsContext *context, const char *folder)
{
  MsDevice *device = context->device;
  g_autofree char *usual = g_build_filename(g_get_user_cache_dir(), "meanshift-lab", "bandwidth", NULL);
  g_autofree char *identity =
    g_strjoin("\n", device->platform, device->vendor, device->name, device->driver, device->version, NULL);
  g_autofree char *digest = g_compute_checksum_for_string(G_CHECKSUM_SHA256, identity, -1);
  g_autofree char *name = g_strconcat(digest, ".ini", NULL);

  return g_build_filename(folder ? folder : usual, name, NULL);
}

/**
 * ms_bandwidth_load:
 * @folder: (nullable): folder of the stored bandwidths, %NULL for the program's folder in the user's cache
 *
 * Returns: whether this device's bandwidth is known; a damaged file counts as absent
 */
gboolean
ms_bandwidth_load(MsContext *context, const char *folder, MsBandwidth *bandwidth)
{
  g_autofree char *path = file_for(context, folder);
  g_autoptr(GKeyFile) file = g_key_file_new();
  MsBandwidth found;

  if (!g_key_file_load_from_file(file, path, G_KEY_FILE_NONE, NULL))
    return FALSE;
  found.read = g_key_file_get_double(file, GROUP_NAME, "read", NULL);
  found.copy = g_key_file_get_double(file, GROUP_NAME, "copy", NULL);
  if (!(found.read > 0 && found.read < 1e9 && found.copy > 0 && found.copy < 1e9))
    return FALSE;
  *bandwidth = found;
  return TRUE;
}

/*
 * A failure is not an error: the next process repeats the benchmark. The file is replaced atomically, so concurrent
 * processes cannot damage it.
 */
static void
save_bandwidth(MsContext *context, const char *folder, const MsBandwidth *bandwidth)
{
  g_autofree char *path = file_for(context, folder);
  g_autoptr(GKeyFile) file = g_key_file_new();
  g_autoptr(GError) error = NULL;

  g_key_file_set_comment(file, NULL, NULL, context->device->name, NULL);
  g_key_file_set_double(file, GROUP_NAME, "read", bandwidth->read);
  g_key_file_set_double(file, GROUP_NAME, "copy", bandwidth->copy);
  if (!ms_folder_make_parent(path, MS_FOLDER_PRIVATE, &error) || !g_key_file_save_to_file(file, path, &error))
    g_debug("bandwidth: %s cannot be written: %s", path, error->message);
}

/**
 * BandwidthCache: the bandwidth of a device, attached to it for the life of the process, so that the benchmark runs
 * once and not for every image where the folder cannot be written.
 * @lock: held while measuring, so that other threads wait and do not disturb the benchmark
 * @path: (nullable): the file that holds the bandwidth; %NULL before the first measurement
 * @error: (nullable): why the benchmark failed
 * @is_confirmed: whether this process has measured it
 */
typedef struct {
  GMutex lock;
  char *path;
  MsBandwidth bandwidth;
  GError *error;
  gboolean is_confirmed;
} BandwidthCache;

static void
cache_free(gpointer data)
{
  BandwidthCache *self = data;

  g_mutex_clear(&self->lock);
  g_free(self->path);
  g_clear_error(&self->error);
  g_free(self);
}

/* Where two threads create the cache at the same time, the second one is freed. */
static BandwidthCache *
get_cache(MsDevice *device)
{
  const GQuark quark = g_quark_from_static_string("ms-bandwidth-cache");
  BandwidthCache *cache = g_datalist_id_get_data(&device->attached, quark);

  if (cache)
    return cache;
  cache = g_new0(BandwidthCache, 1);
  g_mutex_init(&cache->lock);
  if (g_datalist_id_replace_data(&device->attached, quark, NULL, cache, cache_free, NULL))
    return cache;
  cache_free(cache);
  return g_datalist_id_get_data(&device->attached, quark);
}

/* Keeps the result, also a failure, unless the benchmark was cancelled. */
static gboolean
fill_cache(MsContext *context, const char *folder, BandwidthCache *cache, GCancellable *cancellable, GError **error)
{
  g_autoptr(GError) local = NULL;
  gboolean recalled = ms_bandwidth_load(context, folder, &cache->bandwidth);

  if (!recalled && !ms_bandwidth_measure(context, &cache->bandwidth, cancellable, &local) &&
      g_error_matches(local, G_IO_ERROR, G_IO_ERROR_CANCELLED)) {
    g_propagate_error(error, g_steal_pointer(&local));
    return FALSE;
  }
  if (!recalled && !local)
    save_bandwidth(context, folder, &cache->bandwidth);
  cache->is_confirmed = !recalled;
  cache->error = g_steal_pointer(&local);
  cache->path = file_for(context, folder);
  return TRUE;
}

/**
 * ms_bandwidth_get:
 *
 * Loads the device's bandwidth, or measures it and saves it for later processes. Within a process a device is measured
 * once, also where that failed. @folder is as for ms_bandwidth_load(). May be called from several threads.
 */
gboolean
ms_bandwidth_get(MsContext *context, const char *folder, MsBandwidth *bandwidth, GCancellable *cancellable,
                 GError **error)
{
  BandwidthCache *cache = get_cache(context->device);
  g_autoptr(GMutexLocker) locker = g_mutex_locker_new(&cache->lock);
  g_autofree char *path = file_for(context, folder);

  if (g_strcmp0(cache->path, path) != 0) { /* of another folder */
    g_clear_pointer(&cache->path, g_free);
    g_clear_error(&cache->error);
  }
  if (!cache->path && !fill_cache(context, folder, cache, cancellable, error))
    return FALSE;
  if (cache->error) {
    g_propagate_error(error, g_error_copy(cache->error));
    return FALSE;
  }
  *bandwidth = cache->bandwidth;
  return TRUE;
}

/*
 * A peak is a maximum: one that a pass exceeds was measured while the machine was busy, and is measured anew, once a
 * process; the greater one is kept. Called with the lock held.
 */
static void
measure_anew(MsContext *context, const char *folder, BandwidthCache *cache, GCancellable *cancellable)
{
  MsBandwidth again;

  cache->is_confirmed = TRUE;
  if (!ms_bandwidth_measure(context, &again, cancellable, NULL))
    return;
  cache->bandwidth.read = MAX(cache->bandwidth.read, again.read);
  cache->bandwidth.copy = MAX(cache->bandwidth.copy, again.copy);
  save_bandwidth(context, folder, &cache->bandwidth);
}

/**
 * ms_bandwidth_confirm: measures the bandwidth anew where it is known and a pass of @gb_per_s contradicts it.
 * @bandwidth: (inout): of ms_bandwidth_get() with the same @folder
 */
void
ms_bandwidth_confirm(MsContext *context, const char *folder, double gb_per_s, MsBandwidth *bandwidth,
                     GCancellable *cancellable)
{
  BandwidthCache *cache = get_cache(context->device);
  g_autoptr(GMutexLocker) locker = g_mutex_locker_new(&cache->lock);

  if (!cache->path || cache->error || !(gb_per_s > cache->bandwidth.read))
    return;
  if (!cache->is_confirmed)
    measure_anew(context, folder, cache, cancellable);
  *bandwidth = cache->bandwidth;
}

/* The peak is measured once; a failure of that does not fail the pass. */
static double
share_of_peak(MsContext *context, double gb_per_s, GCancellable *cancellable)
{
  g_autoptr(GError) error = NULL;
  MsBandwidth peak;

  if (!ms_bandwidth_get(context, NULL, &peak, cancellable, &error)) {
    g_debug("bandwidth: %s", error->message);
    return 0;
  }
  ms_bandwidth_confirm(context, NULL, gb_per_s, &peak, cancellable);
  return gb_per_s / peak.read;
}

static guint64
kernel_bytes(MsTimingLog *log)
{
  guint64 bytes = 0;

  for (guint i = 0; i < ms_timing_log_get_length(log); i++)
    if (ms_timing_log_get(log, i)->stage == MS_STAGE_KERNEL)
      bytes += ms_timing_log_get(log, i)->bytes;
  return bytes;
}

/**
 * ms_time_pass:
 * @run: whose log gets copies of the rows
 * @own: the log of this pass only; resolved here
 */
gboolean
ms_time_pass(const MsDeviceRun *run, MsTimingLog *own, MsTimedPass *timed, GError **error)
{
  if (!ms_timing_log_resolve(own, error))
    return FALSE;
  timed->kernel_ms = ms_timing_log_total_ms(own, MS_STAGE_KERNEL);
  timed->gb_per_s = timed->kernel_ms > 0 ? (double)kernel_bytes(own) / timed->kernel_ms * 1e-6 : 0;
  timed->peak_share = timed->gb_per_s > 0 ? share_of_peak(run->context, timed->gb_per_s, run->cancellable) : 0;
  if (run->log)
    ms_timing_log_append(run->log, own);
  return TRUE;
}

/** ms_timed_pass_join: two passes as one, whose rates are the means over the time. */
MsTimedPass
ms_timed_pass_join(MsTimedPass a, MsTimedPass b)
{
  const double ms = a.kernel_ms + b.kernel_ms;

  if (!(ms > 0))
    return (MsTimedPass){0, 0, 0};
  return (MsTimedPass){.kernel_ms = ms,
                       .gb_per_s = (a.gb_per_s * a.kernel_ms + b.gb_per_s * b.kernel_ms) / ms,
                       .peak_share = (a.peak_share * a.kernel_ms + b.peak_share * b.kernel_ms) / ms};
}

/** ms_timed_pass_append_text: adds a line; nothing for a result that the host computed. */
void
ms_timed_pass_append_text(const MsTimedPass *self, GString *text)
{
  char ms[G_ASCII_DTOSTR_BUF_SIZE], rate[G_ASCII_DTOSTR_BUF_SIZE], share[G_ASCII_DTOSTR_BUF_SIZE];

  if (!(self->kernel_ms > 0))
    return;
  g_string_append_printf(text, "kernels: %s ms, %s GB/s", g_ascii_formatd(ms, sizeof ms, "%.3f", self->kernel_ms),
                         g_ascii_formatd(rate, sizeof rate, "%.1f", self->gb_per_s));
  if (self->peak_share > 0)
    g_string_append_printf(text, ", %s %% of the measured read bandwidth",
                           g_ascii_formatd(share, sizeof share, "%.0f", 100 * self->peak_share));
  g_string_append_c(text, '\n');
}

static double
or_unknown(double value)
{
  return value > 0 ? value : NAN; /* written as null in JSON */
}

/** ms_timed_pass_add_json: adds three members, null for what the host computed and for the share of an unknown peak. */
void
ms_timed_pass_add_json(const MsTimedPass *self, JsonBuilder *builder)
{
  ms_json_add_number(builder, "kernel_ms",
                     or_unknown(round(self->kernel_ms * 1e6) / 1e6)); /* nanoseconds, the resolution of the clock */
  ms_json_add_number(builder, "gb_per_s", or_unknown(self->gb_per_s));
  ms_json_add_number(builder, "peak_share", or_unknown(self->peak_share));
}
