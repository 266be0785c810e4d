/* SPDX-License-Identifier: MIT */
/* Which kernel parts and constants a reduction plan is made of, and how its partials are laid out. */
#pragma once

#include "core/reduce/reduce-plan.h"

G_BEGIN_DECLS

gboolean ms_reduce_total_is_real(const MsReducePlan *plan);
gboolean ms_reduce_squares_are_wide(const MsReducePlan *plan);
gboolean ms_reduce_has_pair_extremes(const MsDeviceLimits *limits);
gboolean ms_reduce_has_warp_barrier(const MsReducePlan *plan);
gboolean ms_reduce_has_built_in_fold(const MsReducePlan *plan);
MsElementType ms_reduce_value_type(const MsReducePlan *plan);
gsize ms_reduce_partial_bytes(const MsReducePlan *plan);
gsize ms_reduce_scratch_bytes(const MsReducePlan *plan);
void ms_reduce_plan_fill_map(const MsReducePlan *plan, guint16 *map);
void ms_reduce_plan_compose(MsReducePlan *plan);

G_END_DECLS
