/* SPDX-License-Identifier: MIT */
#include "core/filter/plan/bands.h"

/** ms_bands_next: at most @step rows of @whole, beginning after the first @done. */
MsRows
ms_bands_next(MsRows whole, int done, int step)
{
  return (MsRows){whole.first + done, MIN(step, whole.count - done)};
}

/** ms_bands_with_halo: @rows extended by @halo rows on both sides and clipped to the image. */
MsRows
ms_bands_with_halo(MsRows rows, int halo, int height)
{
  int first = MAX(0, rows.first - halo);
  int end = MIN((gint64)height, (gint64)rows.first + rows.count + halo);

  return (MsRows){first, end - first};
}
