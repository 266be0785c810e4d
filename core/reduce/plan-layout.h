/* SPDX-License-Identifier: MIT */
/* The layout of a reduction plan: words, bytes of local memory, numbers of groups, the table of swapped work-items. */
#pragma once

#include "core/reduce/reduce-plan.h"

/* Keeps the number of partials within 32 bits and their memory small. */
#define MS_REDUCE_MAX_GROUPS (G_GUINT64_CONSTANT(1) << 22)
/* Positions and indices are 32-bit, also four steps of the grid beyond the end. */
#define MS_REDUCE_MAX_GRID (G_GUINT64_CONSTANT(1) << 28)

gboolean ms_reduce_total_is_real(const MsReducePlan *plan);
gboolean ms_reduce_squares_are_wide(const MsReducePlan *plan);
gboolean ms_reduce_has_pair_extremes(const MsDeviceLimits *limits);
gboolean ms_reduce_has_warp_barrier(const MsReducePlan *plan);
gboolean ms_reduce_folds_sub_groups_first(const MsReducePlan *plan);
gboolean ms_reduce_has_built_in_fold(const MsReducePlan *plan);
guint ms_reduce_count_terms(const MsReducePlan *plan);
guint ms_reduce_count_slots(const MsReducePlan *plan);
guint ms_reduce_count_words(const MsReducePlan *plan);
guint64 ms_reduce_fixed_groups(const MsReducePlan *plan);
MsElementType ms_reduce_value_type(const MsReducePlan *plan);
gsize ms_reduce_partial_bytes(const MsReducePlan *plan);
gsize ms_reduce_scratch_bytes(const MsReducePlan *plan);
void ms_reduce_plan_fill_map(const MsReducePlan *plan, guint16 *map);
