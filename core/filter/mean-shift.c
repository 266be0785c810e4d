/* SPDX-License-Identifier: MIT */
/*
 * A picture on one device or several: a plan for each device, and one list of tiles of which each takes the next when
 * it is free. The picture is that of one device, since each tile is computed with the rows around it that it needs.
 */
#include "core/filter/mean-shift-private.h"

#include <string.h>

#include "core/filter/shares.h"
#include "core/filter/space/space.h"
#include "core/image/common/pixel-memory.h"
#include "core/opencl/transfers.h"

/*
 * A device of the filter. It keeps its buffers and queues between pictures.
 * @lane: queues and buffers for tiles
 * @levels: buffers for the levels above the picture
 * @memory_budget: bytes for plans; 0 for the default of the device
 * @speed: pixels a millisecond in the last picture; 0 where it is unknown
 */
typedef struct {
  MsContext *context;
  MsLane lane;
  MsFilterLevels levels;
  guint64 memory_budget;
  double speed;
} Device;

/*
 * @division: of pictures among several devices
 * @measured: the parameters that the speeds of the devices are for
 * @rows: of the last picture, that each of several devices computed
 * @results: (nullable): for several devices, since new memory takes longer than transfers to all of them
 */
struct _MsMeanShift {
  Device devices[MS_DEVICES_MAX];
  guint n;
  MsDivision division;
  MsParams measured;
  int rows[MS_DEVICES_MAX];
  MsPixelMemory *results;
  gboolean shares_device;
  gboolean pins_results;
};

const char *const ms_division_names[] = {"equal", "learned", "adaptive", NULL};

/** ms_mean_shift_new: a filter on the device of @context; use it from one thread at a time. */
MsMeanShift *
ms_mean_shift_new(MsContext *context)
{
  MsMeanShift *self = g_new0(MsMeanShift, 1);

  self->devices[0].context = ms_context_ref(context);
  self->n = 1;
  self->division = MS_DIVISION_ADAPTIVE;
  self->pins_results = TRUE;
  return self;
}

/**
 * ms_mean_shift_new_several:
 * @contexts: (element-type MsContext): 1 to %MS_DEVICES_MAX devices, no two with the same context
 *
 * Returns: (transfer full): a filter whose pictures all devices compute together
 */
MsMeanShift *
ms_mean_shift_new_several(GPtrArray *contexts)
{
  g_return_val_if_fail(contexts->len >= 1 && contexts->len <= MS_DEVICES_MAX, NULL);

  MsMeanShift *self = ms_mean_shift_new(g_ptr_array_index(contexts, 0));
  guint n_separate = 0;

  for (guint i = 1; i < contexts->len; i++)
    self->devices[self->n++].context = ms_context_ref(g_ptr_array_index(contexts, i));
  if (self->n > 1)
    self->results = ms_pixel_memory_new();
  for (guint i = 0; i < self->n; i++)
    n_separate += ms_device_has_own_memory(self->devices[i].context->device);
  /* The copies of all devices share the processors of the host. */
  for (guint i = 0; i < self->n; i++)
    self->devices[i].context->processors = ms_shares_choose_processors(g_get_num_processors(), n_separate);
  return self;
}

void
ms_mean_shift_free(MsMeanShift *self)
{
  for (guint i = 0; i < self->n; i++) {
    Device *device = &self->devices[i];
    ms_filter_buffers_release(&device->lane.slots[0]);
    ms_lane_release_further(&device->lane);
    ms_filter_levels_release(&device->levels);
    ms_context_unref(device->context);
  }
  g_clear_pointer(&self->results, ms_pixel_memory_free);
  g_free(self);
}

guint
ms_mean_shift_get_n_devices(MsMeanShift *self)
{
  return self->n;
}

/** ms_mean_shift_get_device: (transfer none): the device of number @index. */
MsContext *
ms_mean_shift_get_device(MsMeanShift *self, guint index)
{
  return self->devices[index].context;
}

/** ms_mean_shift_get_context: (transfer none): the first device. */
MsContext *
ms_mean_shift_get_context(MsMeanShift *self)
{
  return self->devices[0].context;
}

/** ms_mean_shift_get_rows: how many rows of the last picture a device computed, of several. */
int
ms_mean_shift_get_rows(MsMeanShift *self, guint index)
{
  return self->rows[index];
}

/** ms_mean_shift_get_speed: pixels a millisecond of a device in the last picture; 0 where it is unknown. */
double
ms_mean_shift_get_speed(MsMeanShift *self, guint index)
{
  return self->devices[index].speed;
}

/** ms_mean_shift_set_division: how several devices divide a picture. */
void
ms_mean_shift_set_division(MsMeanShift *self, MsDivision division)
{
  self->division = division;
}

/** ms_mean_shift_set_memory_budget: device bytes that plans made here may take; 0 for the default of the device. */
void
ms_mean_shift_set_memory_budget(MsMeanShift *self, guint64 bytes)
{
  for (guint i = 0; i < self->n; i++)
    self->devices[i].memory_budget = bytes;
}

/**
 * ms_mean_shift_set_host_budget: bytes of the machine's memory that buffers of the devices may take together, in equal
 * parts for those without memory of their own; 0 for the default of each. With a budget no memory of results is kept.
 */
void
ms_mean_shift_set_host_budget(MsMeanShift *self, guint64 bytes)
{
  guint sharing = 0;

  self->pins_results = bytes == 0;
  if (self->results)
    ms_pixel_memory_set_keeps(self->results, bytes == 0);
  for (guint i = 0; i < self->n; i++)
    sharing += !ms_device_has_own_memory(self->devices[i].context->device);
  for (guint i = 0; i < self->n; i++)
    if (!ms_device_has_own_memory(self->devices[i].context->device))
      self->devices[i].memory_budget = bytes > 0 ? MAX(bytes / sharing, 1) : 0;
}

/**
 * ms_mean_shift_set_shares_device: whether other filters use the device at the same time. Their kernels overlap the
 * transfers of this filter, so that it computes one tile after the other.
 */
void
ms_mean_shift_set_shares_device(MsMeanShift *self, gboolean shares_device)
{
  self->shares_device = shares_device;
}

static MsPlan *
plan_for(MsMeanShift *self, const Device *device, const MsJob *job, GError **error)
{
  MsPlanRequest plan = ms_plan_request_image(job->settings, &device->context->device->limits, job->source);

  plan.region = ms_job_get_region(job);
  plan.memory_budget = device->memory_budget;
  plan.modes = job->wants_modes;
  plan.has_coarser = job->coarser != NULL;
  plan.interactive = job->interactive;
  plan.early_rows = job->rows != NULL;
  plan.shares_device = self->shares_device;
  plan.most_rows = job->stream ? MAX(1, job->stream->most_rows / (int)self->n) : 0;
  return ms_plan_new(&plan, error);
}

/**
 * ms_mean_shift_plan:
 *
 * Returns: (transfer full): the plan of @job for the first device, or %NULL with @error set as ms_plan_new() does
 */
MsPlan *
ms_mean_shift_plan(MsMeanShift *self, const MsJob *job, GError **error)
{
  return plan_for(self, &self->devices[0], job, error);
}

/* (transfer full): memory for the result; pinned where the device has filtered so much that this saves time. */
static GBytes *
alloc_result(MsMeanShift *self, const MsJob *job, MsRegion region, GError **error)
{
  const gsize bytes = (gsize)region.width * (gsize)region.height * 4;

  if (job->into)
    return g_bytes_new_static(job->into, bytes);
  /* One that filters one picture after the other may let up to two results stay in memory. */
  GBytes *pinned = self->shares_device || !self->pins_results || self->n > 1
                     ? NULL
                     : ms_context_take_pinned(self->devices[0].context, bytes);
  if (pinned)
    return pinned;
  if (self->results)
    return ms_pixel_memory_take(self->results, region.width, region.height, error);
  guint8 *pixels = ms_image_check_memory(ms_image_try_alloc_pixels((guint64)region.width, (guint64)region.height),
                                         region.width, region.height, error);
  return pixels ? g_bytes_new_take(pixels, bytes) : NULL;
}

/* Whether the device is to keep the result of @plan, which it holds as a whole. */
static gboolean
stays(const MsJob *job, const MsPlan *plan)
{
  return job->may_stay && job->wants_modes && !plan->in_tiles && plan->tile_rows == plan->request.height;
}

/*
 * What one device does for a picture; filled before its thread starts, read after it has ended.
 * @job: of the picture, with the region of the plan
 * @stays: whether the result stays on the device
 * @modes: (nullable): for the region of the plan
 */
typedef struct {
  Device *device;
  guint number;
  MsJob job;
  MsRegion region;
  MsPlan *plan;
  MsTiles *tiles;
  gboolean stays;
  guint16 *modes;
  GError *error;
} Part;

static gboolean
run_part(Part *self, const MsPlan *plan, GError **error)
{
  const MsJob *job = &self->job;
  const MsSpace space = plan->settings.params.space;
  g_autoptr(GBytes) tables = space != MS_SPACE_RGB ? ms_space_tables_of(space, job->source) : NULL;
  MsFilterRun run = {.job = job,
                     .is_picture = TRUE,
                     .context = self->device->context,
                     .plan = plan,
                     .tables = tables,
                     .buffers = &self->device->lane.slots[0],
                     .log = job->log,
                     .tiles = self->tiles,
                     .device = self->number,
                     .source = ms_image_get_pixels(job->source),
                     .modes = self->modes,
                     .stays = self->stays,
                     .coarser = job->coarser ? ms_image_get_pixels(job->coarser) : NULL};

  g_debug("plan: kernel %s, work-groups of %dx%d, %u passes, tiles of %d rows, %u at a time, bands of %d rows",
          ms_filter_kernel_name(plan->settings.options.kernel), plan->settings.options.work_group_width,
          plan->settings.options.work_group_height, plan->n_passes, plan->tile_rows, plan->depth, plan->band_rows);
  if (!(plan->coarser ? ms_filter_levels_run(&self->device->levels, &run, error)
                      : ms_filter_run(&run, &self->device->lane, error)))
    return FALSE;
  return !run.log || ms_timing_log_resolve(run.log, error);
}

/* Gives the caller what is on the device, and the source for the image that it expects. */
static MsImage *
leave_on_device(Device *device, MsJob *job, const MsPlan *plan)
{
  const gboolean keeps_source =
    !plan->source_is_image && plan->settings.params.space == MS_SPACE_RGB && !plan->request.has_no_data;

  const MsFilterBuffers *b = &device->lane.slots[0];
  job->stayed = (MsDeviceResult){b->result.mem, b->modes.mem, keeps_source ? b->source.mem : NULL};
  clRetainMemObject(job->stayed.colours);
  clRetainMemObject(job->stayed.modes);
  if (keeps_source)
    clRetainMemObject(job->stayed.source);
  g_clear_pointer(&job->modes, g_free);
  return g_object_ref(job->source);
}

static MsRows
rows_of(MsRegion region)
{
  return (MsRows){region.y, region.height};
}

static MsImage *
run_alone(MsMeanShift *self, MsJob *job, const MsPlan *plan, GError **error)
{
  const MsRegion region = plan->request.region;
  const gboolean stay = stays(job, plan), has_memory = !stay && !job->stream;
  g_autoptr(GBytes) result = has_memory ? alloc_result(self, job, region, error) : NULL;
  g_auto(MsTiles) tiles = {0};
  Part part = {
    .device = &self->devices[0], .job = *job, .tiles = &tiles, .stays = stay, .modes = ms_job_get_modes(job)};
  GError *failure = NULL;

  if (has_memory && !result)
    return NULL;
  ms_tiles_init(&tiles, rows_of(region), 1);
  ms_tiles_serve(&tiles, job, region.width, result ? (guint8 *)g_bytes_get_data(result, NULL) : NULL);
  run_part(&part, plan, &failure);
  if (!ms_tiles_end(&tiles, failure, error))
    return NULL;
  if (stay)
    return leave_on_device(part.device, job, plan);
  if (job->stream)
    return g_object_ref(job->source);
  return ms_image_new(region.width, region.height, result, job->into ? NULL : ms_image_get_metadata(job->source));
}

/* Several devices. */

/* Forgets the speeds of the devices if the last picture had other parameters, with which they may differ. */
static void
recall_speeds(MsMeanShift *self, const MsParams *params)
{
  const gboolean same = ms_params_equal(&self->measured, params);

  for (guint i = 0; i < self->n && !same; i++)
    self->devices[i].speed = 0;
  self->measured = *params;
}

/*
 * Whether the rows are handed out beforehand. Where levels are filtered, each device has to compute those above the
 * picture, so that it gets its rows at once; a stream has the rows of one device after those of another.
 */
static gboolean
hand_out(MsMeanShift *self, const MsJob *job, MsRows whole, MsRows *shares)
{
  const gboolean by_speed = self->division == MS_DIVISION_LEARNED || job->settings->params.levels > 0;
  MsKnownSpeed speeds[MS_DEVICES_MAX];

  if (job->shares)
    memcpy(shares, job->shares, self->n * sizeof *shares);
  if (job->shares || job->stream || (self->division == MS_DIVISION_ADAPTIVE && !by_speed))
    return job->shares != NULL;
  for (guint i = 0; i < self->n; i++)
    speeds[i] =
      (MsKnownSpeed){self->devices[i].speed, self->devices[i].context->device->limits.type == MS_DEVICE_TYPE_CPU};
  const MsShares divided = by_speed ? ms_shares_from_speeds(speeds, self->n) : ms_shares_equal(self->n);
  ms_shares_cut(&divided, whole, shares);
  return TRUE;
}

/* Plans what a device may have to compute: its share, or any rows of the region. */
static gboolean
prepare_part(MsMeanShift *self, Part *part, const MsJob *job, MsTiles *tiles, GError **error)
{
  const MsRegion whole = ms_job_get_region(job);
  const gsize width = (gsize)whole.width, skipped = (gsize)(part->region.y - whole.y);
  guint16 *modes = ms_job_get_modes((MsJob *)job);

  part->device = &self->devices[part->number];
  part->tiles = tiles;
  part->job = *job;
  part->job.settings = job->settings_of ? &job->settings_of[part->number] : job->settings;
  part->job.region = &part->region;
  part->job.rows = NULL;
  part->job.log = ms_timing_log_new();
  part->modes = modes ? modes + skipped * width * 2 : NULL;
  part->plan = plan_for(self, part->device, &part->job, error);
  return part->plan != NULL;
}

static void
clear_part(Part *self)
{
  g_clear_pointer(&self->job.log, ms_timing_log_unref);
  g_clear_pointer(&self->plan, ms_plan_free);
  g_clear_error(&self->error);
}

static gpointer
run_in_thread(gpointer data)
{
  Part *part = data;

  if (!run_part(part, part->plan, &part->error))
    ms_tiles_stop(part->tiles);
  return NULL;
}

/* Runs the parts side by side, the last one on the calling thread. */
static void
run_parts(Part *parts, guint n)
{
  GThread *threads[MS_DEVICES_MAX] = {NULL};

  for (guint i = 0; i + 1 < n; i++)
    threads[i] = g_thread_try_new("device", run_in_thread, &parts[i], NULL);
  for (guint i = 0; i < n; i++)
    if (!threads[i])
      run_in_thread(&parts[i]);
  for (guint i = 0; i < n; i++)
    if (threads[i])
      g_thread_join(threads[i]);
}

/* Takes over the times of all parts, or the first failure; a device that was only stopped has none. */
static gboolean
conclude(MsTiles *tiles, Part *parts, guint n, MsTimingLog *log, GError **error)
{
  GError *failure = NULL;

  for (guint i = 0; i < n && !failure; i++)
    failure = g_steal_pointer(&parts[i].error);
  if (!ms_tiles_end(tiles, failure, error))
    return FALSE;
  for (guint i = 0; i < n; i++) {
    if (tiles->rows[i] > 0)
      parts[i].device->speed = ms_timing_log_has_built(parts[i].job.log) ? 0 : tiles->speeds[i] * parts[i].region.width;
    if (log)
      ms_timing_log_append(log, parts[i].job.log);
  }
  return TRUE;
}

/* @job: with memory for the result */
static gboolean
run_devices(MsMeanShift *self, MsJob *job, GError **error)
{
  const MsRegion whole = ms_job_get_region(job);
  Part parts[MS_DEVICES_MAX] = {{0}};
  MsRows shares[MS_DEVICES_MAX];
  g_auto(MsTiles) tiles = {0};
  gboolean good = TRUE;

  ms_tiles_init(&tiles, rows_of(whole), self->n);
  ms_tiles_serve(&tiles, job, whole.width, job->into);
  recall_speeds(self, &job->settings->params);
  if (hand_out(self, job, rows_of(whole), shares))
    ms_tiles_hand_out(&tiles, shares);
  for (guint i = 0; i < self->n; i++) {
    tiles.speeds[i] = self->devices[i].speed / whole.width;
    parts[i].number = i;
    parts[i].region = whole;
    if (tiles.is_handed_out && shares[i].count > 0) {
      parts[i].region.y = shares[i].first;
      parts[i].region.height = shares[i].count;
    }
    good = good && prepare_part(self, &parts[i], job, &tiles, error);
  }
  if (good) {
    job->used = parts[0].plan->settings;
    job->rejected = g_strdup(parts[0].plan->rejected);
    job->program = ms_program_spec_ref(parts[0].plan->program);
    run_parts(parts, self->n);
    good = conclude(&tiles, parts, self->n, job->log, error);
  }
  for (guint i = 0; i < self->n; i++) {
    self->rows[i] = tiles.rows[i];
    clear_part(&parts[i]);
  }
  return good;
}

static MsImage *
run_together(MsMeanShift *self, MsJob *job, GError **error)
{
  const MsRegion region = ms_job_get_region(job);
  g_autoptr(GBytes) result = job->stream ? NULL : alloc_result(self, job, region, error);
  MsJob own = *job;

  if (!job->stream && !result)
    return NULL;
  own.into = result ? (guint8 *)g_bytes_get_data(result, NULL) : NULL;
  const gboolean good = run_devices(self, &own, error);
  job->used = own.used;
  job->rejected = own.rejected;
  job->program = own.program;
  if (!good)
    return NULL;
  if (job->stream)
    return g_object_ref(job->source);
  if (job->rows)
    job->rows(own.into, region.height, job->rows_data);
  return ms_image_new(region.width, region.height, result, job->into ? NULL : ms_image_get_metadata(job->source));
}

/**
 * ms_mean_shift_run: plans unless the job has a plan, for one device, and carries the plan out. With several devices
 * the log gets the rows of one after the other, and the settings used are those of the first.
 *
 * Returns: (transfer full): the result, or %NULL with the errors of ms_plan_new(), #MS_ERROR or G_IO_ERROR_CANCELLED
 */
MsImage *
ms_mean_shift_run(MsMeanShift *self, MsJob *job, GError **error)
{
  if (self->n > 1)
    return ms_job_begin(job, error) ? run_together(self, job, error) : NULL;

  g_autoptr(MsPlan) own = job->plan ? NULL : ms_mean_shift_plan(self, job, error);
  const MsPlan *plan = job->plan ? job->plan : own;

  if (!plan || !ms_job_begin(job, error))
    return NULL;
  job->used = plan->settings;
  job->rejected = g_strdup(plan->rejected);
  job->program = ms_program_spec_ref(plan->program);
  return run_alone(self, job, plan, error);
}
