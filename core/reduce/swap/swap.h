/* SPDX-License-Identifier: MIT */
/* Thread swapping [BD]: tables that let work-items with the same branch outcome share a warp. */
#pragma once

#include <glib.h>

/** MsSwapOutcome: the branch that the work of item @id takes; ids of one outcome are moved together, in order. */
typedef guint (*MsSwapOutcome)(guint id);

gboolean ms_swap_range_is_valid(guint range, guint work_group, GError **error);
void ms_swap_table_by_outcome(guint16 *map, guint range, guint work_group, MsSwapOutcome outcome);
void ms_swap_table_tree(guint16 *map, guint range, guint work_group);
void ms_swap_table_bitonic(guint16 *map, guint range, guint work_group, guint distance);
void ms_swap_table_invert(const guint16 *map, guint16 *inverse, guint work_group);
guint ms_swap_divergent_warps(const guint16 *map, guint work_group, guint warp, MsSwapOutcome outcome);
