/* SPDX-License-Identifier: MIT */
#include "core/lab/kinds/warp-model.h"

#define SEGMENT_ELEMENTS 32 /* floats in 128 bytes, the unit of a coalesced access on Fermi */
#define MOST_BRANCHES 8

/* The segments that are read by the items of the warp that take this branch, one element each; 0 if none does. */
static guint
count_segments(const guint16 *map, guint first, MsSwapOutcome outcome, guint branch)
{
  g_autoptr(GHashTable) segments = g_hash_table_new(NULL, NULL);

  for (guint i = first; i < first + MS_WARP_SIZE; i++)
    if (outcome(map[i]) == branch)
      g_hash_table_add(segments, GUINT_TO_POINTER(map[i] / SEGMENT_ELEMENTS + 1));
  return g_hash_table_size(segments);
}

/**
 * ms_warp_model_count:
 * @map: the swap table; item i does the work of map[i]
 * @first: the first item of the warp
 * @outcome: the branch of the work of an id, below 8
 *
 * Returns: counts of one read of one array by the warp, as in tables 2 and 4 of [BD]
 */
MsWarpCounts
ms_warp_model_count(const guint16 *map, guint first, MsSwapOutcome outcome)
{
  MsWarpCounts counts = {0, 0, 0};

  for (guint branch = 0; branch < MOST_BRANCHES; branch++) {
    guint segments = count_segments(map, first, outcome, branch);
    counts.branches += segments > 0;
    counts.accesses += segments;
    counts.uncoalesced += segments > 0 ? segments - 1 : 0;
  }
  return counts;
}
