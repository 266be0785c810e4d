/* SPDX-License-Identifier: MIT */
/*
 * Thread swapping [BD]: tables that let work-items with the same branch outcome share a warp, and MsSwapExample, the
 * example of [BD]: three branches over two arrays, plain or with thread swapping. The arrays stay on the device between
 * runs, so that times and energy are those of the kernel.
 */
#pragma once

#include "core/opencl/context.h"

/** MsSwapOutcome: the branch that the work of item @id takes; ids of one outcome are moved together, in order. */
typedef guint (*MsSwapOutcome)(guint id);

gboolean ms_swap_range_is_valid(guint range, guint work_group, GError **error);
void ms_swap_table_by_outcome(guint16 *map, guint range, guint work_group, MsSwapOutcome outcome);
void ms_swap_table_tree(guint16 *map, guint range, guint work_group);
void ms_swap_table_bitonic(guint16 *map, guint range, guint work_group, guint distance);
void ms_swap_table_invert(const guint16 *map, guint16 *inverse, guint work_group);

#define MS_WARP_SIZE 32

/**
 * MsWarpCounts:
 * @branches: different branches that a warp takes one after the other; more than one is divergence
 * @accesses: segments of 128 bytes that the branches touch, one access each
 * @uncoalesced: accesses beyond the first of every branch, which stall the warp
 */
typedef struct {
  guint branches;
  guint accesses;
  guint uncoalesced;
} MsWarpCounts;

MsWarpCounts ms_warp_model_count(const guint16 *map, guint first, MsSwapOutcome outcome);

/** MS_SWAP_EXAMPLE_GROUP: work-items in a group. */
#define MS_SWAP_EXAMPLE_GROUP 256

typedef struct _MsSwapExample MsSwapExample;

/** MsSwapArrays: two arrays of @n values, on which the example computes. */
typedef struct {
  const float *a;
  const float *b;
  guint n;
} MsSwapArrays;

guint ms_swap_example_outcome(guint id);
MsProgramSpec *ms_swap_example_compose(guint range);
void ms_swap_example_map(guint16 *map, guint range);
void ms_swap_example_serial(const float *a, const float *b, float *result, guint n);

MsSwapExample *ms_swap_example_new(MsContext *context, const MsSwapArrays *arrays, guint range, MsTimingLog *log,
                                   GError **error);
void ms_swap_example_free(MsSwapExample *self);
gboolean ms_swap_example_run(MsSwapExample *self, MsTimingLog *log, GError **error);
gboolean ms_swap_example_read(MsSwapExample *self, float *result, GError **error);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(MsSwapExample, ms_swap_example_free)
