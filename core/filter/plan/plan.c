/* SPDX-License-Identifier: MIT */
/*
 * Makes the plan of a job, or says why it cannot run; makes no OpenCL call, so that every rule can be tested with
 * invented limits. The function of a kernel chooses program and passes; here the kernel is chosen, the levels above are
 * planned, and the region is cut into tiles whose buffers fit the device, and into bands short enough for cancelling.
 */
#include "core/filter/plan/plan-private.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#include "core/filter/pyramid/pyramid.h"
#include "core/filter/space/space.h"

/* The function that plans each kernel. */
static gboolean (*const kernels[])(MsPlan *plan, GError **error) = {
  [MS_KERNEL_DIRECT] = ms_plan_direct, [MS_KERNEL_ROWS] = ms_plan_rows,     [MS_KERNEL_ROWS_WIDE] = ms_plan_rows_wide,
  [MS_KERNEL_MATRIX] = ms_plan_matrix, [MS_KERNEL_PACKED] = ms_plan_packed,
};

/*
 * From this radius on the matrix kernel is faster than the packed one on devices that have both, with most pictures and
 * colour radii of kernels/README.md.
 */
#define FIRST_MATRIX_RADIUS 15

/*
 * The kernels that `auto` tries on that device, fastest first, before MS_KERNEL_AUTO; the last one must accept every
 * job.
 */
static const MsKernel *
preference(const MsDeviceLimits *l, const MsParams *params)
{
  static const MsKernel cpu[] = {MS_KERNEL_ROWS, MS_KERNEL_DIRECT, MS_KERNEL_AUTO};
  static const MsKernel wide_cpu[] = {MS_KERNEL_ROWS_WIDE, MS_KERNEL_ROWS, MS_KERNEL_DIRECT, MS_KERNEL_AUTO};
  static const MsKernel scalar_cpu[] = {MS_KERNEL_PACKED, MS_KERNEL_DIRECT, MS_KERNEL_AUTO};
  static const MsKernel gpu[] = {MS_KERNEL_DIRECT, MS_KERNEL_AUTO};
  static const MsKernel bytes_gpu[] = {MS_KERNEL_PACKED, MS_KERNEL_DIRECT, MS_KERNEL_AUTO};
  static const MsKernel packed_gpu[] = {MS_KERNEL_PACKED, MS_KERNEL_MATRIX, MS_KERNEL_DIRECT, MS_KERNEL_AUTO};
  static const MsKernel matrix_gpu[] = {MS_KERNEL_MATRIX, MS_KERNEL_PACKED, MS_KERNEL_DIRECT, MS_KERNEL_AUTO};

  if (l->nvidia_capability >= MS_KERNEL_MATRIX_CAPABILITY)
    return params->sp >= FIRST_MATRIX_RADIUS ? matrix_gpu : packed_gpu;
  if (l->nvidia_capability >= MS_KERNEL_BYTES_CAPABILITY)
    return bytes_gpu;
  if (l->type == MS_DEVICE_TYPE_GPU)
    return gpu;
  if (ms_device_limits_lack_vectors(l))
    return scalar_cpu;
  return l->vector_bytes >= 64 ? wide_cpu : cpu;
}

/*
 * Samples that one launch may test: about 0.1 s on a slow processor or a fast GPU, short enough for cancelling and long
 * enough for the cost of a launch to be negligible.
 */
#define CPU_SAMPLES_PER_BAND 2.5e8
#define ROWS_SAMPLES_PER_BAND 1.0e9 /* the rows kernels are much faster */
#define MOST_EXTENSION 4            /* by how much a launch may exceed the samples to have enough work-items */
#define LEAST_ITEMS 20
#define GPU_SAMPLES_PER_BAND 1.0e11

/* With at most this many iterations, a band takes well below a second. */
#define USUAL_ITERATIONS 5

/* Bytes of a processor's tiles: larger ones are not faster, and the batch keeps memory for other images. */
#define CPU_BUDGET (G_GUINT64_CONSTANT(96) << 20)

/* The driver copies less than this as fast as threads do, so that nothing is gained. */
#define LEAST_OVERLAPPED_BYTES (G_GUINT64_CONSTANT(6) << 20)

/* A picture has the root of its bytes in this unit as its number of tiles, up to the most. */
#define TILE_UNIT ((double)(1 << 20))
#define MOST_TILES 32.0

/* Pixels of a tile for each compute unit, so that units that end a tile early wait for a small part of it only. */
#define LEAST_PIXELS_PER_UNIT 8192.0

/* The mask of a tile, and its rows of the level above with their edges, and modes where these are wanted. */
static guint64
level_tile_bytes(const MsPlan *self, guint64 source_rows)
{
  const MsPlan *above = self->coarser;
  const guint64 rows = (guint64)ms_bands_coarser_most((int)source_rows, above->height);

  return source_rows * self->width + rows * above->width * (self->has_modes ? 9 : 5);
}

/** ms_plan_device_bytes: bytes of the plan's largest buffers together for tiles of so many rows of the region. */
guint64
ms_plan_device_bytes(const MsPlan *self, int tile_rows)
{
  guint64 source_rows = MIN((guint64)self->height, (guint64)tile_rows + 2 * (guint64)self->halo);
  guint64 bytes = source_rows * self->width * 4 + (guint64)tile_rows * self->region.width * 4;

  if (self->has_modes)
    bytes += (guint64)tile_rows * self->region.width * 4;
  if (ms_plan_fills_image(self))
    bytes += source_rows * self->width * 4;
  if (self->settings.params.space != MS_SPACE_RGB)
    bytes += MS_SPACE_TABLES_BYTES;
  if (self->in_tiles)
    bytes += level_tile_bytes(self, source_rows);
  for (guint i = 0; i < self->n_scratch; i++)
    bytes += source_rows * self->scratch[i].row_bytes + self->scratch[i].fixed_bytes;
  return bytes;
}

/*
 * The largest number of rows of the region whose source with halo, scratch and result fit @budget bytes and one
 * allocation; 0 where not even one row fits.
 */
static int
rows_within_budget(const MsPlan *plan, guint64 budget)
{
  int low = 0, high = plan->region.height;

  if (ms_plan_device_bytes(plan, high) <= budget)
    return high;
  while (low < high) {
    int middle = low + (high - low + 1) / 2;
    if (ms_plan_device_bytes(plan, middle) <= budget)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

static double
samples_per_band(const MsPlan *plan)
{
  const int kernel = plan->settings.options.kernel;

  if (plan->limits->type == MS_DEVICE_TYPE_GPU)
    return GPU_SAMPLES_PER_BAND;
  return kernel == MS_KERNEL_ROWS || kernel == MS_KERNEL_ROWS_WIDE ? ROWS_SAMPLES_PER_BAND : CPU_SAMPLES_PER_BAND;
}

/*
 * The columns of the widest and the rows of the highest work-item of the band's passes; at least 16 rows, so that
 * work-items and work-groups stay whole.
 */
static void
find_largest_item(const MsPlan *plan, int *width, int *height)
{
  *width = 1;
  *height = 16;
  for (guint i = 0; i < plan->n_passes; i++) {
    const MsPass *pass = &plan->passes[i];
    if (pass->grid != MS_GRID_BAND)
      continue;
    *width = MAX(*width, pass->item_width);
    *height = MAX(*height, pass->item_height);
  }
}

/* Rows of one launch: at least 1, and a multiple of the rows that keep work-groups whole if the samples allow it. */
static int
rows_per_band(const MsPlan *plan)
{
  double side = 2.0 * plan->radius + 1.0;
  double per_row = side * side * plan->region.width * MIN(plan->settings.params.max_iterations, 3);
  double rows = samples_per_band(plan) / per_row;
  int item_width, whole;

  if (rows >= plan->region.height)
    return plan->region.height;
  find_largest_item(plan, &item_width, &whole);
  /* Rows with enough of the largest work-items for the threads of a processor to end at about the same time. */
  const int balanced = whole * MAX(1, LEAST_ITEMS * item_width / plan->region.width);
  rows = MAX(rows, MIN(MOST_EXTENSION * rows, balanced));
  return rows < whole ? MAX(1, (int)rows) : (int)rows / whole * whole;
}

/* The bytes that a plan may take: half the device's memory, or its budget where that is less. */
static guint64
largest_budget(const MsDeviceShare *share)
{
  const guint64 half = share->limits->global_memory / 2;

  return share->memory_budget > 0 ? MIN(half, share->memory_budget) : half;
}

/*
 * A processor's tiles stay small unless the halo needs more: a tile has at least the rows of its halo where the
 * device has the memory, since the halo is transferred and prepared again for each tile.
 */
static guint64
memory_budget(const MsPlan *plan, const MsDeviceShare *share)
{
  /* A budget of at most one allocation also keeps each single buffer within the limit of an allocation. */
  guint64 largest = MIN(largest_budget(share), share->limits->max_allocation);
  int least_rows = CLAMP(plan->halo, 1, plan->region.height);

  if (share->limits->type != MS_DEVICE_TYPE_CPU)
    return largest;
  return MIN(largest, MAX(CPU_BUDGET, ms_plan_device_bytes(plan, least_rows)));
}

/* Bytes of the buffers of this level and those above it. */
static guint64
level_bytes(const MsPlan *self)
{
  const guint64 pixels = (guint64)self->width * self->height;
  const guint64 above = self->coarser ? level_bytes(self->coarser) + 2 * pixels : 0;

  return above + ms_plan_device_bytes(self, self->region.height) +
         (guint64)(self->height - MIN(self->height, self->region.height + 2 * self->halo)) * self->width * 4;
}

/* Rows of the result that have memory on the host at once for this device; 0 for all. */
static int
most_host_rows(const MsJob *job, const MsDeviceShare *share)
{
  return job->stream ? MAX(1, job->stream->most_rows / (int)MAX(share->n_devices, 1)) : 0;
}

/* Whether tiles may overlap: on a device with memory of its own, where nothing else of the run stands in between. */
static gboolean
may_overlap(const MsPlan *plan, const MsJob *job, const MsDeviceShare *share)
{
  const MsRegion *r = &plan->region;
  const gboolean shows_bands = job->rows && rows_per_band(plan) < r->height;

  return plan->limits->type == MS_DEVICE_TYPE_GPU && !plan->limits->host_unified && !share->is_shared &&
         !plan->has_modes && !shows_bands && !plan->source_is_image && !ms_plan_is_masked(plan) &&
         (guint64)r->width * (guint64)r->height * 4 >= LEAST_OVERLAPPED_BYTES;
}

/*
 * The rows of tiles that overlap. The time in which nothing overlaps, the first upload and the last download, falls
 * with the number of tiles, and what each further tile costs adds up, so that the best number grows with the root of
 * the bytes. A tile has at least twice the rows of its halo, which is transferred and prepared twice, and enough pixels
 * for all processors of the device. 0 where the host lacks the memory for several such tiles.
 */
static int
overlapped_rows(const MsPlan *plan, int most_rows, guint64 budget)
{
  const MsRegion *r = &plan->region;
  const double bytes = 4.0 * r->width * r->height;
  const double wanted = CLAMP(sqrt(bytes / TILE_UNIT), 2, MOST_TILES);
  const double filled = (double)plan->limits->compute_units * LEAST_PIXELS_PER_UNIT / r->width;
  const double least = MAX(MAX(ceil(r->height / wanted), filled), 2.0 * plan->halo);
  int item_width, whole;

  find_largest_item(plan, &item_width, &whole);
  const int rows = MIN(r->height, ((int)MIN(least, r->height) + whole - 1) / whole * whole);
  const int most = most_rows > 0 ? most_rows / MS_PLAN_MOST_DEPTH : rows;
  if (most_rows > 0 && most < 2 * plan->halo)
    return 0;
  return MIN(MIN(rows, most), rows_within_budget(plan, budget / MS_PLAN_MOST_DEPTH));
}

static gboolean
cut(MsPlan *self, const MsJob *job, const MsDeviceShare *share, GError **error)
{
  const guint64 budget = memory_budget(self, share);
  const int most_rows = most_host_rows(job, share);
  int rows = rows_within_budget(self, budget);
  int limit = self->source_is_image ? (int)MIN((gsize)G_MAXINT, self->limits->image_max_height) : G_MAXINT;

  if (self->height > limit)
    rows = MIN(rows, limit - 2 * self->halo);
  if (most_rows > 0)
    rows = MIN(rows, most_rows);
  if (rows < 1) {
    ms_set_error(error, MS_ERROR_UNSUPPORTED,
                 "One row of this image with its surroundings (%d rows of %d pixels) needs more than the %zu MiB that "
                 "the device offers.",
                 2 * self->halo + 1, self->width, (gsize)(budget >> 20));
    return FALSE;
  }
  self->tile_rows = rows;
  const int overlapped = may_overlap(self, job, share) ? overlapped_rows(self, most_rows, budget) : 0;
  if (overlapped > 0 && overlapped < self->region.height) {
    self->tile_rows = overlapped;
    self->depth = MS_PLAN_MOST_DEPTH;
  }
  return TRUE;
}

/*
 * Sets the rows of tiles and bands, or fails with MS_ERROR_UNSUPPORTED where one row does not fit the device. A level
 * below others is in tiles only where it does not fit with them.
 */
static gboolean
cut_into_tiles(MsPlan *self, const MsJob *job, const MsDeviceShare *share, GError **error)
{
  const gboolean masked = ms_plan_is_masked(self);

  /* A level that fits on the device together with those above it is not cut into tiles. */
  self->in_tiles = masked && (job->coarser || level_bytes(self) > largest_budget(share) ||
                              ms_plan_device_bytes(self, self->region.height) > self->limits->max_allocation);
  self->depth = 1;
  self->tile_rows = self->region.height;
  if ((!masked || self->in_tiles) && !cut(self, job, share, error))
    return FALSE;
  self->band_rows = MIN(self->tile_rows, rows_per_band(self));
  if (job->interactive && self->settings.params.max_iterations > USUAL_ITERATIONS)
    self->band_rows = MAX(1, self->band_rows * USUAL_ITERATIONS / self->settings.params.max_iterations);
  return TRUE;
}

/** ms_plan_is_masked: whether only the pixels of a mask are filtered: on all levels of a pyramid but the topmost. */
gboolean
ms_plan_is_masked(const MsPlan *self)
{
  return self->settings.params.levels > 0;
}

/**
 * ms_plan_fills_image: whether an image object is filled from a buffer, in which pixels without data are marked, and
 * not uploaded.
 */
gboolean
ms_plan_fills_image(const MsPlan *self)
{
  return self->source_is_image && self->has_no_data;
}

void
ms_plan_free(MsPlan *self)
{
  if (!self)
    return;
  g_clear_pointer(&self->program, ms_program_spec_unref);
  g_clear_pointer(&self->coarser, ms_plan_free);
  g_free(self->rejected);
  g_free(self);
}

/* (transfer full): a plan that has only what the job says. */
static MsPlan *
begin_plan(const MsJob *job, const MsDeviceShare *share, MsKernel kernel)
{
  MsPlan *plan = g_new0(MsPlan, 1);
  const MsPyramidSize size = ms_job_get_size(job);

  plan->settings = *job->settings;
  plan->settings.options.kernel = kernel;
  plan->is_auto = job->settings->options.kernel == MS_KERNEL_AUTO;
  plan->limits = share->limits;
  plan->width = size.width;
  plan->height = size.height;
  plan->region = ms_job_get_region(job);
  plan->has_modes = job->wants_modes;
  plan->has_no_data = job->source && ms_image_get_no_data(job->source, &plan->no_data);
  return plan;
}

/* Modes are positions within the image, in 16 bits. */
static gboolean
check_modes(const MsPlan *plan, GError **error)
{
  if (!plan->has_modes)
    return TRUE;
  if (plan->settings.params.rule != MS_RULE_REPLICATE)
    return ms_plan_check_needs(plan, MS_NEEDS_SHORT_SIDES, error);
  ms_set_error_literal(error, MS_ERROR_UNSUPPORTED,
                       N_("Under --rule replicate pixels may converge outside the image, so that there are no regions; "
                          "choose --rule opencv."));
  return FALSE;
}

/* Whether a plan of any kernel can be made for the job. */
static gboolean
check_job(const MsJob *job, const MsDeviceShare *share, GError **error)
{
  g_autoptr(MsPlan) plan = begin_plan(job, share, job->settings->options.kernel);
  const MsRegion *r = &plan->region;

  g_return_val_if_fail(r->x >= 0 && r->y >= 0 && r->width > 0 && r->height > 0, FALSE);
  g_return_val_if_fail(r->x + r->width <= plan->width && r->y + r->height <= plan->height, FALSE);
  return ms_params_validate(&job->settings->params, error) && check_modes(plan, error);
}

/* Plans the levels above, where `auto` may choose other kernels. */
static gboolean
plan_coarser(MsPlan *plan, const MsJob *job, const MsDeviceShare *share, GError **error)
{
  MsJob above = *job;
  MsSettings settings = *job->settings;

  if (!ms_plan_is_masked(plan))
    return TRUE;
  settings.params = ms_params_coarser(&settings.params);
  above.settings = &settings;
  above.size = ms_pyramid_size(plan->width, plan->height, 1);
  above.source = above.coarser = NULL;
  above.region = NULL;
  plan->coarser = ms_plan_new(&above, share, error);
  return plan->coarser != NULL;
}

static MsPlan *
plan_kernel(const MsJob *job, const MsDeviceShare *share, MsKernel kernel, GError **error)
{
  g_autoptr(MsPlan) plan = begin_plan(job, share, kernel);
  const MsParams *params = &plan->settings.params;

  plan->program = ms_program_spec_new();
  if (!ms_params_whole_radius(params, MAX(plan->width, plan->height), &plan->radius))
    plan->radius = (int)ceilf(ms_params_numbers(params).sp);
  plan->halo = (int)MIN((gint64)plan->radius * params->max_iterations, plan->height);
  if (!kernels[kernel](plan, error) || !plan_coarser(plan, job, share, error))
    return NULL;
  ms_plan_mark_no_data(plan);
  ms_plan_add_space(plan);
  ms_plan_restore_no_data(plan);
  return cut_into_tiles(plan, job, share, error) ? g_steal_pointer(&plan) : NULL;
}

static MsPlan *
plan_auto(const MsJob *job, const MsDeviceShare *share, GError **error)
{
  g_autoptr(GString) reasons = g_string_new(NULL);

  for (const MsKernel *kernel = preference(share->limits, &job->settings->params);; kernel++) {
    g_autoptr(GError) reason = NULL;
    MsPlan *plan = plan_kernel(job, share, *kernel, &reason);
    if (plan) {
      plan->rejected = reasons->len > 0 ? g_strdup(reasons->str) : NULL;
      return plan;
    }
    if (kernel[1] == MS_KERNEL_AUTO) {
      g_propagate_error(error, g_steal_pointer(&reason));
      return NULL;
    }
    g_string_append_printf(reasons, "%s%s: %s", reasons->len > 0 ? " " : "", ms_filter_kernel_name(*kernel),
                           reason->message);
  }
}

/**
 * ms_plan_new:
 * @job: read for its settings, its size or that of its source, its region, and which inputs and outputs it has
 *
 * Returns: (transfer full): the plan, or %NULL with #MS_ERROR_USAGE for a bad parameter or #MS_ERROR_UNSUPPORTED and
 *   the reason why this combination has no effect or does not fit the device
 */
MsPlan *
ms_plan_new(const MsJob *job, const MsDeviceShare *share, GError **error)
{
  const MsKernel kernel = job->settings->options.kernel;

  if (!check_job(job, share, error))
    return NULL;
  return kernel == MS_KERNEL_AUTO ? plan_auto(job, share, error) : plan_kernel(job, share, kernel, error);
}

/** ms_plan_refusal: (transfer full) (nullable): why the job cannot run, %NULL when it can. */
char *
ms_plan_refusal(const MsJob *job, const MsDeviceShare *share)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(MsPlan) plan = ms_plan_new(job, share, &error);

  return plan ? NULL : g_strdup(error->message);
}

/**
 * ms_plan_option_refusal:
 * @value: a value of @option as on the command line
 *
 * Returns: (transfer full) (nullable): why @value cannot be chosen with the other settings, as the window shows beside
 *   a disabled control
 */
char *
ms_plan_option_refusal(const MsJob *job, const MsDeviceShare *share, const MsOptionInfo *option, const char *value)
{
  MsSettings settings = *job->settings;
  MsJob changed = *job;
  g_autoptr(GError) error = NULL;

  changed.settings = &settings;
  return ms_option_set_text(option, &settings, value, &error) ? ms_plan_refusal(&changed, share)
                                                              : g_strdup(error->message);
}
