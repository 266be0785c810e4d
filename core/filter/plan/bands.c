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

/* Rows of the level above beyond half those of the level: its edges, and the neighbours that make them edges. */
#define COARSER_HALO 3

/** ms_bands_coarser: the rows of the level above, of @height rows, from which @rows are enlarged and marked. */
MsRows
ms_bands_coarser(MsRows rows, int height)
{
  const int first = rows.first / 2, end = (rows.first + rows.count + 1) / 2;

  return ms_bands_with_halo((MsRows){first, end - first}, COARSER_HALO, height);
}

/** ms_bands_coarser_most: the most rows that ms_bands_coarser() gives for @count rows. */
int
ms_bands_coarser_most(int count, int height)
{
  return MIN(height, count / 2 + 2 + 2 * COARSER_HALO);
}
