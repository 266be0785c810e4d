/* SPDX-License-Identifier: MIT */
#include "core/filter/bands.h"

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
