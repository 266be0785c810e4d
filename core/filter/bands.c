/* SPDX-License-Identifier: MIT */
#include "core/filter/bands.h"

/* One lane uploads, one computes, one downloads. */
#define LANES 3

/*
 * Measured on an H200: images below the least gain nothing, since each stripe's transfer starts threads. Stripes above
 * the most leave the first upload and the last download without kernels beside them.
 */
#define LEAST_PIPELINED_BYTES (G_GUINT64_CONSTANT(128) << 20)
#define LEAST_STRIPE_BYTES (G_GUINT64_CONSTANT(16) << 20)
#define MOST_STRIPE_BYTES (G_GUINT64_CONSTANT(64) << 20)
#define MOST_STRIPES 16

/**
 * ms_bands_stripe_rows:
 * @budget: device bytes that may be taken
 *
 * Returns: the most rows of the region whose source with halo, scratch and result fit @budget and one allocation; 0
 *   when not even one row does
 */
int
ms_bands_stripe_rows(const MsPlan *plan, guint64 budget)
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

/**
 * ms_bands_pipeline:
 * @plan: has its halo and the rows of a stripe that fit the device alone
 * @budget: device bytes that all lanes together may take
 *
 * Sets the plan's lanes and, where there are several, shortens its stripes. Several lanes pay where the device has its
 * own memory and the image is large. A stripe has at least four times the rows of its halo, which are transferred and
 * prepared twice.
 */
void
ms_bands_pipeline(MsPlan *plan, guint64 budget)
{
  const MsPlanRequest *q = &plan->request;
  const guint64 row_bytes = (guint64)q->region.width * 4, bytes = row_bytes * (guint64)q->region.height;
  const guint64 stripe_bytes = CLAMP(bytes / MOST_STRIPES, LEAST_STRIPE_BYTES, MOST_STRIPE_BYTES);
  gint64 rows = (gint64)((stripe_bytes + row_bytes - 1) / row_bytes);

  plan->lanes = 1;
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

/**
 * ms_bands_band_rows:
 * @samples_per_band: window samples that one launch may test
 *
 * Returns: rows of one launch, at least 1 and, where there are as many, a multiple of 16 so that work-groups stay whole
 */
int
ms_bands_band_rows(const MsPlan *plan, double samples_per_band)
{
  double side = 2.0 * plan->radius + 1.0;
  double per_row = side * side * plan->request.region.width * MIN(plan->settings.params.max_iterations, 3);
  double rows = samples_per_band / per_row;

  if (rows >= plan->request.region.height)
    return plan->request.region.height;
  return rows < 16 ? MAX(1, (int)rows) : (int)rows / 16 * 16;
}

/** ms_bands_next: the next at most @step rows of @whole after @done of them. */
MsRows
ms_bands_next(MsRows whole, int done, int step)
{
  return (MsRows){whole.first + done, MIN(step, whole.count - done)};
}

/** ms_bands_with_halo: @rows and @halo more on both sides, as far as the image has them. */
MsRows
ms_bands_with_halo(MsRows rows, int halo, int height)
{
  int first = MAX(0, rows.first - halo);
  int end = MIN((gint64)height, (gint64)rows.first + rows.count + halo);

  return (MsRows){first, end - first};
}
