/* SPDX-License-Identifier: MIT */
/*
 * A picture on one device or several: a plan for each device, and one list of tiles of which each takes the next when
 * it is free. The picture is that of one device, since each tile is computed with the rows around it that it needs.
 */
#include "core/filter/mean-shift.h"

#include <string.h>

#include "core/filter/lane-private.h"
#include "core/filter/shares.h"
#include "core/image/common/pixel-memory.h"
#include "core/opencl/transfers.h"

/*
 * @division: of pictures among several devices
 * @measured: the parameters that the speeds of the devices are for
 * @rows: of the last picture, that each of several devices computed
 * @results: (nullable): for several devices, since new memory takes longer than transfers to all of them
 */
struct _MsMeanShift {
  MsLane lanes[MS_DEVICES_MAX];
  guint n;
  MsDivision division;
  MsParams measured;
  int rows[MS_DEVICES_MAX];
  MsPixelMemory *results;
  gboolean pins_results;
};

const char *const ms_division_names[] = {"equal", "learned", "adaptive", NULL};

static void
add_lane(MsMeanShift *self, MsContext *context)
{
  self->lanes[self->n++] = (MsLane){.context = ms_context_ref(context), .share = {.limits = &context->device->limits}};
}

/** ms_mean_shift_new: a filter on the device of @context; use it from one thread at a time. */
MsMeanShift *
ms_mean_shift_new(MsContext *context)
{
  MsMeanShift *self = g_new0(MsMeanShift, 1);

  add_lane(self, context);
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
    add_lane(self, g_ptr_array_index(contexts, i));
  if (self->n > 1)
    self->results = ms_pixel_memory_new();
  for (guint i = 0; i < self->n; i++)
    n_separate += ms_device_has_own_memory(self->lanes[i].context->device);
  /* The copies of all devices share the processors of the host. */
  for (guint i = 0; i < self->n; i++) {
    self->lanes[i].share.n_devices = self->n;
    self->lanes[i].context->processors = ms_shares_choose_processors(g_get_num_processors(), n_separate);
  }
  return self;
}

void
ms_mean_shift_free(MsMeanShift *self)
{
  for (guint i = 0; i < self->n; i++) {
    ms_lane_release(&self->lanes[i]);
    ms_context_unref(self->lanes[i].context);
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
  return self->lanes[index].context;
}

/** ms_mean_shift_get_context: (transfer none): the first device. */
MsContext *
ms_mean_shift_get_context(MsMeanShift *self)
{
  return self->lanes[0].context;
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
  return self->lanes[index].speed;
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
    self->lanes[i].share.memory_budget = bytes;
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
    sharing += !ms_device_has_own_memory(self->lanes[i].context->device);
  for (guint i = 0; i < self->n; i++)
    if (!ms_device_has_own_memory(self->lanes[i].context->device))
      self->lanes[i].share.memory_budget = bytes > 0 ? MAX(bytes / sharing, 1) : 0;
}

/**
 * ms_mean_shift_set_shares_device: whether other filters use the device at the same time. Their kernels overlap the
 * transfers of this filter, so that it computes one tile after the other.
 */
void
ms_mean_shift_set_shares_device(MsMeanShift *self, gboolean shares_device)
{
  for (guint i = 0; i < self->n; i++)
    self->lanes[i].share.is_shared = shares_device;
}

/**
 * ms_mean_shift_plan:
 *
 * Returns: (transfer full): the plan of @job for the first device, or %NULL with @error set as ms_plan_new() does
 */
MsPlan *
ms_mean_shift_plan(MsMeanShift *self, const MsJob *job, GError **error)
{
  return ms_plan_new(job, &self->lanes[0].share, error);
}

/* (transfer full): memory for the result; pinned where the device has filtered so much that this saves time. */
static GBytes *
alloc_result(MsMeanShift *self, const MsJob *job, MsRegion region, GError **error)
{
  const gsize bytes = (gsize)region.width * (gsize)region.height * 4;

  if (job->into)
    return g_bytes_new_static(job->into, bytes);
  /* One that filters one picture after the other may let up to two results stay in memory. */
  GBytes *pinned = self->lanes[0].share.is_shared || !self->pins_results || self->n > 1
                     ? NULL
                     : ms_context_take_pinned(self->lanes[0].context, bytes);
  if (pinned)
    return pinned;
  if (self->results)
    return ms_pixel_memory_take(self->results, region.width, region.height, error);
  guint8 *pixels = ms_image_check_memory(ms_image_try_alloc_pixels((guint64)region.width, (guint64)region.height),
                                         region.width, region.height, error);
  return pixels ? g_bytes_new_take(pixels, bytes) : NULL;
}

static MsRows
rows_of(MsRegion region)
{
  return (MsRows){region.y, region.height};
}

/*
 * What one device does for a picture; filled before its thread starts, read after it has ended.
 * @job: of the picture; of several devices, each has the settings, the region, the log and the modes of its own
 * @own: (nullable): @plan, unless that is the caller's
 */
typedef struct {
  MsLane *lane;
  guint number;
  MsJob job;
  MsRegion region;
  const MsPlan *plan;
  MsPlan *own;
  MsTiles *tiles;
  GError *error;
} Part;

/* Forgets the speeds of the devices if the last picture had other parameters, with which they may differ. */
static void
recall_speeds(MsMeanShift *self, const MsParams *params)
{
  const gboolean same = ms_params_equal(&self->measured, params);

  for (guint i = 0; i < self->n && !same; i++)
    self->lanes[i].speed = 0;
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
    speeds[i] = (MsKnownSpeed){self->lanes[i].speed, self->lanes[i].context->device->limits.type == MS_DEVICE_TYPE_CPU};
  const MsShares divided = by_speed ? ms_shares_from_speeds(speeds, self->n) : ms_shares_equal(self->n);
  ms_shares_cut(&divided, whole, shares);
  return TRUE;
}

/*
 * Plans what each device may have to compute: its share, or any rows of the region. One device has the job as it is,
 * and its plan where the caller made it.
 */
static gboolean
plan_parts(MsMeanShift *self, Part *parts, MsTiles *tiles, const MsRows *shares, const MsJob *job, GError **error)
{
  for (guint i = 0; i < self->n; i++) {
    Part *part = &parts[i];
    *part = (Part){.lane = &self->lanes[i], .number = i, .job = *job, .tiles = tiles};
    if (self->n > 1) {
      const MsRows rows = tiles->is_handed_out && shares[i].count > 0 ? shares[i] : tiles->whole;
      part->region = ms_job_get_region(job);
      part->region.y = rows.first;
      part->region.height = rows.count;
      part->job.settings = job->settings_of ? &job->settings_of[i] : job->settings;
      part->job.region = &part->region;
      part->job.rows = NULL;
      part->job.may_stay = FALSE;
      part->job.log = ms_timing_log_new();
    }
    const gboolean is_given = self->n == 1 && job->plan;
    part->own = is_given ? NULL : ms_plan_new(&part->job, &part->lane->share, error);
    part->plan = is_given ? job->plan : part->own;
    if (!part->plan)
      return FALSE;
  }
  return TRUE;
}

static void
clear_parts(Part *parts, guint n)
{
  for (guint i = 0; i < n; i++) {
    if (n > 1)
      g_clear_pointer(&parts[i].job.log, ms_timing_log_unref);
    g_clear_pointer(&parts[i].own, ms_plan_free);
    g_clear_error(&parts[i].error);
  }
}

static gpointer
run_part(gpointer data)
{
  Part *part = data;
  const MsPlan *plan = part->plan;

  g_debug("plan: kernel %s, work-groups of %dx%d, %u passes, tiles of %d rows, %u at a time, bands of %d rows",
          ms_filter_kernel_name(plan->settings.options.kernel), plan->settings.options.work_group_width,
          plan->settings.options.work_group_height, plan->n_passes, plan->tile_rows, plan->depth, plan->band_rows);
  if (!ms_lane_run(part->lane, &part->job, plan, part->tiles, part->number, &part->error) ||
      (part->job.log && !ms_timing_log_resolve(part->job.log, &part->error)))
    ms_tiles_stop(part->tiles);
  return NULL;
}

/* Runs the parts side by side, the last one on the calling thread. */
static void
run_parts(Part *parts, guint n)
{
  GThread *threads[MS_DEVICES_MAX] = {NULL};

  for (guint i = 0; i + 1 < n; i++)
    threads[i] = g_thread_try_new("device", run_part, &parts[i], NULL);
  for (guint i = 0; i < n; i++)
    if (!threads[i])
      run_part(&parts[i]);
  for (guint i = 0; i < n; i++)
    if (threads[i])
      g_thread_join(threads[i]);
}

/* Takes over the times of all parts, or the first failure; a device that was only stopped has none. */
static gboolean
conclude(MsMeanShift *self, MsTiles *tiles, Part *parts, const MsJob *job, GError **error)
{
  GError *failure = NULL;

  for (guint i = 0; i < self->n && !failure; i++)
    failure = g_steal_pointer(&parts[i].error);
  for (guint i = 0; i < self->n; i++)
    self->rows[i] = tiles->rows[i];
  if (!ms_tiles_end(tiles, failure, error))
    return FALSE;
  for (guint i = 0; i < self->n && self->n > 1; i++) {
    if (tiles->rows[i] > 0)
      parts[i].lane->speed = ms_timing_log_has_built(parts[i].job.log) ? 0 : tiles->speeds[i] * parts[i].region.width;
    if (job->log)
      ms_timing_log_append(job->log, parts[i].job.log);
  }
  if (self->n > 1 && job->rows && !job->stream)
    job->rows(tiles->pixels, tiles->whole.count, job->rows_data);
  return TRUE;
}

/* Gives the caller what is on the device, and the source for the image that it expects. */
static MsImage *
leave_on_device(const MsLane *lane, MsJob *job, const MsPlan *plan)
{
  const gboolean keeps_source =
    !plan->source_is_image && plan->settings.params.space == MS_SPACE_RGB && !plan->has_no_data;
  const MsFilterBuffers *b = &lane->slots[0];

  job->stayed = (MsDeviceResult){b->result.mem, b->modes.mem, keeps_source ? b->source.mem : NULL};
  clRetainMemObject(job->stayed.colours);
  clRetainMemObject(job->stayed.modes);
  if (keeps_source)
    clRetainMemObject(job->stayed.source);
  g_clear_pointer(&job->modes, g_free);
  return g_object_ref(job->source);
}

/* Carries the plans out, with memory for the result unless that goes to a stream or stays on the device. */
static MsImage *
run_plans(MsMeanShift *self, Part *parts, MsTiles *tiles, MsJob *job, MsRegion region, GError **error)
{
  const gboolean stays = ms_job_stays(&parts[0].job, parts[0].plan);
  g_autoptr(GBytes) result = NULL;
  guint16 *modes = ms_job_get_modes(job);

  if (!stays && !job->stream) {
    result = alloc_result(self, job, region, error);
    if (!result)
      return NULL;
  }
  job->used = parts[0].plan->settings;
  job->rejected = g_strdup(parts[0].plan->rejected);
  job->program = ms_program_spec_ref(parts[0].plan->program);
  ms_tiles_serve(tiles, job, region.width, result ? (guint8 *)g_bytes_get_data(result, NULL) : NULL);
  for (guint i = 0; i < self->n; i++) {
    const gsize skipped = (gsize)(parts[i].plan->region.y - region.y) * (gsize)region.width;
    parts[i].job.modes = NULL;
    parts[i].job.modes_into = modes ? modes + 2 * skipped : NULL;
  }
  run_parts(parts, self->n);
  if (!conclude(self, tiles, parts, job, error))
    return NULL;
  if (stays)
    return leave_on_device(&self->lanes[0], job, parts[0].plan);
  if (job->stream)
    return g_object_ref(job->source);
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
  const MsRegion region = self->n == 1 && job->plan ? job->plan->region : ms_job_get_region(job);
  Part parts[MS_DEVICES_MAX] = {{0}};
  MsRows shares[MS_DEVICES_MAX];
  g_auto(MsTiles) tiles = {0};
  MsImage *result = NULL;

  ms_tiles_init(&tiles, rows_of(region), self->n);
  if (self->n > 1) {
    recall_speeds(self, &job->settings->params);
    for (guint i = 0; i < self->n; i++)
      tiles.speeds[i] = self->lanes[i].speed / region.width;
    if (hand_out(self, job, rows_of(region), shares))
      ms_tiles_hand_out(&tiles, shares);
  }
  if (plan_parts(self, parts, &tiles, shares, job, error) && ms_job_begin(job, error))
    result = run_plans(self, parts, &tiles, job, region, error);
  clear_parts(parts, self->n);
  return result;
}
