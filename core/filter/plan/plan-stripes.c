/* SPDX-License-Identifier: MIT */
#include "core/filter/plan/plan-stripes.h"

#include "core/filter/plan/bands.h"
#include "core/filter/space/space-tables.h"

/*
 * Samples that one launch may test: about 0.1 s on a slow processor or a fast GPU, short enough for cancelling and long
 * enough for the cost of a launch to be negligible.
 */
#define CPU_SAMPLES_PER_BAND 2.5e8
#define ROWS_SAMPLES_PER_BAND 1.0e9 /* the rows kernels are much faster */
#define MOST_EXTENSION 4            /* by how much a launch may exceed the samples to have enough work-items */
#define LEAST_ITEMS 20
#define GPU_SAMPLES_PER_BAND 1.0e11

/* Bytes of a processor's stripes: larger ones are not faster, and the batch keeps memory for other images. */
#define CPU_BUDGET (G_GUINT64_CONSTANT(96) << 20)

/* Enough for an upload, kernels and a download at the same time. */
#define LANES 3

/*
 * Bounds measured on an H200: smaller images gain nothing, since each stripe's transfer starts threads; larger stripes
 * lengthen the first upload and the last download, which overlap no kernels.
 */
#define LEAST_PIPELINED_BYTES (G_GUINT64_CONSTANT(128) << 20)
#define LEAST_STRIPE_BYTES (G_GUINT64_CONSTANT(16) << 20)
#define MOST_STRIPE_BYTES (G_GUINT64_CONSTANT(64) << 20)
#define MOST_STRIPES 16

/* The mask of a stripe, and its rows of the level above with their edges, and modes where these are wanted. */
static guint64
level_stripe_bytes(const MsPlan *self, guint64 source_rows)
{
  const MsPlanRequest *above = &self->coarser->request;
  const guint64 rows = (guint64)ms_bands_coarser_most((int)source_rows, above->height);

  return source_rows * self->request.width + rows * above->width * (self->request.modes ? 9 : 5);
}

/** ms_plan_device_bytes: bytes of the plan's largest buffers together for stripes of so many rows of the region. */
guint64
ms_plan_device_bytes(const MsPlan *self, int stripe_rows)
{
  guint64 source_rows = MIN((guint64)self->request.height, (guint64)stripe_rows + 2 * (guint64)self->halo);
  guint64 bytes = source_rows * self->request.width * 4 + (guint64)stripe_rows * self->request.region.width * 4;

  if (self->request.modes)
    bytes += (guint64)stripe_rows * self->request.region.width * 4;
  if (self->settings.params.space != MS_SPACE_RGB)
    bytes += MS_SPACE_TABLES_BYTES;
  if (self->in_stripes)
    bytes += level_stripe_bytes(self, source_rows);
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
  int low = 0, high = plan->request.region.height;

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

/*
 * Sets the plan's lanes and, where there are several, shortens its stripes so that all lanes together take at most
 * @budget bytes of the device. Several lanes pay where the device has its own memory and the image is large. A stripe
 * has at least four times the rows of its halo, which are transferred and prepared twice.
 */
static void
set_lanes(MsPlan *plan, guint64 budget)
{
  const MsPlanRequest *q = &plan->request;
  const guint64 row_bytes = (guint64)q->region.width * 4, bytes = row_bytes * (guint64)q->region.height;
  const guint64 stripe_bytes = CLAMP(bytes / MOST_STRIPES, LEAST_STRIPE_BYTES, MOST_STRIPE_BYTES);
  gint64 rows = (gint64)((stripe_bytes + row_bytes - 1) / row_bytes);

  if (!q->pipelined || q->limits.type != MS_DEVICE_TYPE_GPU || q->limits.host_unified || bytes < LEAST_PIPELINED_BYTES)
    return;
  rows = MIN(MAX(rows, 4 * (gint64)plan->halo), plan->stripe_rows);
  while (rows > 1 && LANES * ms_plan_device_bytes(plan, (int)rows) > budget)
    rows /= 2;
  if (2 * rows > q->region.height || rows < 2 * (gint64)plan->halo)
    return;
  plan->lanes = LANES;
  plan->stripe_rows = (int)rows;
}

static double
samples_per_band(const MsPlan *plan)
{
  const int kernel = plan->settings.options.kernel;

  if (plan->request.limits.type == MS_DEVICE_TYPE_GPU)
    return GPU_SAMPLES_PER_BAND;
  return kernel == MS_KERNEL_ROWS || kernel == MS_KERNEL_ROWS_WIDE ? ROWS_SAMPLES_PER_BAND : CPU_SAMPLES_PER_BAND;
}

/* The rows of the highest work-item of the band's passes, or 16, so that work-items and work-groups stay whole. */
static int
whole_rows(const MsPlan *plan)
{
  int rows = 16;

  for (guint i = 0; i < plan->n_passes; i++)
    if (plan->passes[i].grid == MS_GRID_BAND)
      rows = MAX(rows, plan->passes[i].item_height);
  return rows;
}

/* The rows that have enough of the largest work-items for the threads of a processor to end at about the same time. */
static int
balanced_rows(const MsPlan *plan, int whole)
{
  const int item_width = plan->passes[plan->n_passes - 1].item_width, width = plan->request.region.width;

  return whole * MAX(1, LEAST_ITEMS * item_width / width);
}

/* Rows of one launch: at least 1, and a multiple of the rows that keep work-groups whole if the samples allow it. */
static int
rows_per_band(const MsPlan *plan)
{
  double side = 2.0 * plan->radius + 1.0;
  double per_row = side * side * plan->request.region.width * MIN(plan->settings.params.max_iterations, 3);
  double rows = samples_per_band(plan) / per_row;
  const int whole = whole_rows(plan);

  if (rows >= plan->request.region.height)
    return plan->request.region.height;
  rows = MAX(rows, MIN(MOST_EXTENSION * rows, balanced_rows(plan, whole)));
  return rows < whole ? MAX(1, (int)rows) : (int)rows / whole * whole;
}

/* The bytes that a plan may take: half the device's memory, or the request's budget where that is less. */
static guint64
largest_budget(const MsPlanRequest *request)
{
  const MsDeviceLimits *l = &request->limits;
  guint64 budget = l->global_memory / 2;

  if (request->memory_budget > 0)
    budget = MIN(budget, request->memory_budget);
  /* A budget of at most one allocation also keeps each single buffer within the limit of an allocation. */
  return MIN(budget, l->max_allocation);
}

/*
 * A processor's stripes stay small unless the halo needs more: a stripe has at least the rows of its halo where the
 * device has the memory, since the halo is transferred and prepared again for each stripe.
 */
static guint64
memory_budget(const MsPlan *plan)
{
  const MsPlanRequest *request = &plan->request;
  guint64 largest = largest_budget(request);
  int least_rows = CLAMP(plan->halo, 1, request->region.height);

  if (request->limits.type != MS_DEVICE_TYPE_CPU)
    return largest;
  return MIN(largest, MAX(CPU_BUDGET, ms_plan_device_bytes(plan, least_rows)));
}

static int
image_row_limit(const MsPlan *plan)
{
  if (!plan->source_is_image)
    return G_MAXINT;
  return (int)MIN((gsize)G_MAXINT, plan->request.limits.image_max_height);
}

/* Bytes of the buffers of this level and those above it. */
static guint64
level_bytes(const MsPlan *self)
{
  const guint64 pixels = (guint64)self->request.width * self->request.height;
  const guint64 above = self->coarser ? level_bytes(self->coarser) + 2 * pixels : 0;

  return above + ms_plan_device_bytes(self, self->request.region.height) +
         (guint64)(self->request.height - MIN(self->request.height, self->request.region.height + 2 * self->halo)) *
           self->request.width * 4;
}

/* Whether this level and those above it fit on the device together; they are then not cut into stripes. */
static gboolean
fits_whole(const MsPlan *self)
{
  const MsDeviceLimits *l = &self->request.limits;
  guint64 budget = l->global_memory / 2;

  if (self->request.memory_budget > 0)
    budget = MIN(budget, self->request.memory_budget);
  return level_bytes(self) <= budget && ms_plan_device_bytes(self, self->request.region.height) <= l->max_allocation;
}

static gboolean
cut(MsPlan *self, GError **error)
{
  guint64 budget = memory_budget(self);
  int rows = rows_within_budget(self, budget);
  int limit = image_row_limit(self);

  if (self->request.height > limit)
    rows = MIN(rows, limit - 2 * self->halo);
  if (rows < 1) {
    ms_set_error(error, MS_ERROR_UNSUPPORTED,
                 "One row of this image with its surroundings (%d rows of %d pixels) needs more than the %zu MiB that "
                 "the device offers.",
                 2 * self->halo + 1, self->request.width, (gsize)(budget >> 20));
    return FALSE;
  }
  self->stripe_rows = rows;
  self->lanes = 1;
  if (!self->in_stripes)
    set_lanes(self, budget);
  return TRUE;
}

/* A level below others, in stripes only where it does not fit with them. */
static gboolean
cut_level(MsPlan *self, GError **error)
{
  self->in_stripes = self->request.has_coarser || !fits_whole(self);
  if (self->in_stripes)
    return cut(self, error);
  self->lanes = 1;
  self->stripe_rows = self->request.region.height;
  return TRUE;
}

/**
 * ms_plan_cut_into_stripes: sets the rows of stripes and bands, or fails with #MS_ERROR_UNSUPPORTED where one row does
 * not fit the device.
 */
gboolean
ms_plan_cut_into_stripes(MsPlan *self, GError **error)
{
  gboolean good = ms_plan_is_masked(self) ? cut_level(self, error) : cut(self, error);

  if (!good)
    return FALSE;
  self->band_rows = MIN(self->stripe_rows, rows_per_band(self));
  return TRUE;
}
