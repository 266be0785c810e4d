/* SPDX-License-Identifier: MIT */
/* The variants of the studies by name. Each row says only how it differs from the plainest variant. */
#include <string.h>

#include "core/reduce/reduce-options.h"

#define SIZED(vector_, count_, group_, range_)                                                                         \
  .vector = vector_, .groups_count = count_, .work_group = group_, .swap_range = range_

static const MsReducePreset presets[] = {
  {"auto", "What suits the device, the type and the length", "", {.automatic = 1, SIZED(1, 1, 256, 64)}},
  {"naive",
   "One element a work-item, interleaved tree, atomic finish",
   "PCL",
   {SIZED(1, 1, 256, 64), .times = 1, .between = MS_REDUCE_BETWEEN_ATOMIC}},
  {"global-stride",
   "Each work-item folds 32 elements, a grid apart, before the interleaved tree",
   "PCL",
   {SIZED(1, 1, 256, 64), .times = 32, .between = MS_REDUCE_BETWEEN_ATOMIC}},
  {"local-stride",
   "Each work-item folds 32 elements, a work-group apart, before the interleaved tree",
   "PCL",
   {SIZED(1, 1, 256, 64), .times = 32, .stride = MS_REDUCE_STRIDE_LOCAL, .between = MS_REDUCE_BETWEEN_ATOMIC}},
  {"divergence-free",
   "One element a work-item, tree of neighbouring work-items",
   "PCL",
   {SIZED(1, 1, 256, 64), .times = 1, .tree = MS_REDUCE_TREE_DIVERGENCE_FREE, .between = MS_REDUCE_BETWEEN_ATOMIC}},
  {"completely-unroll",
   "One element a work-item, the tree written out",
   "PCL",
   {SIZED(1, 1, 256, 64), .times = 1, .tree = MS_REDUCE_TREE_COMPLETELY_UNROLL, .between = MS_REDUCE_BETWEEN_ATOMIC}},
  {"pcl",
   "The study's choice: local stride over 64, completely unrolled, atomic finish",
   "PCL",
   {SIZED(1, 1, 256, 64), .times = 64, .stride = MS_REDUCE_STRIDE_LOCAL, .tree = MS_REDUCE_TREE_COMPLETELY_UNROLL,
    .between = MS_REDUCE_BETWEEN_ATOMIC}},
  {"pcl-recursive",
   "As pcl, with recursive launches between the groups",
   "PCL",
   {SIZED(1, 1, 256, 64), .times = 64, .stride = MS_REDUCE_STRIDE_LOCAL, .tree = MS_REDUCE_TREE_COMPLETELY_UNROLL,
    .between = MS_REDUCE_BETWEEN_RECURSIVE}},
  {"pcl-host",
   "As pcl, finished on the host",
   "PCL",
   {SIZED(1, 1, 256, 64), .times = 64, .stride = MS_REDUCE_STRIDE_LOCAL, .tree = MS_REDUCE_TREE_COMPLETELY_UNROLL,
    .between = MS_REDUCE_BETWEEN_HOST}},
  {"minmax-sequential",
   "Step 1: sequential addressing in a buffer",
   "MM",
   {SIZED(1, 1, 256, 64), .times = 1, .tree = MS_REDUCE_TREE_DIVERGENCE_FREE, .between = MS_REDUCE_BETWEEN_HOST}},
  {"minmax-image",
   "Step 1 with the array in an image",
   "MM",
   {SIZED(4, 1, 256, 64), .times = 1, .storage = MS_REDUCE_STORAGE_IMAGE, .tree = MS_REDUCE_TREE_DIVERGENCE_FREE,
    .between = MS_REDUCE_BETWEEN_HOST}},
  {"minmax-vector",
   "Step 2: vectors of 8",
   "MM",
   {SIZED(8, 1, 256, 64), .times = 1, .tree = MS_REDUCE_TREE_DIVERGENCE_FREE, .between = MS_REDUCE_BETWEEN_HOST}},
  {"minmax-bank",
   "Step 3: fewer bank conflicts",
   "MM",
   {SIZED(8, 1, 256, 64), .times = 1, .tree = MS_REDUCE_TREE_DIVERGENCE_FREE, .bank_conflict_saving = 1,
    .between = MS_REDUCE_BETWEEN_HOST}},
  {"minmax-units",
   "Step 4: two groups for each compute unit of this device",
   "MM",
   {SIZED(8, 2, 256, 64), .tree = MS_REDUCE_TREE_DIVERGENCE_FREE, .bank_conflict_saving = 1,
    .groups = MS_REDUCE_GROUPS_UNITS, .between = MS_REDUCE_BETWEEN_HOST}},
  {"minmax-18",
   "Final variant with 18 groups, one for each compute unit of the HD 5850",
   "MM",
   {SIZED(8, 18, 256, 64), .tree = MS_REDUCE_TREE_DIVERGENCE_FREE, .bank_conflict_saving = 1, .builtin = 1,
    .groups = MS_REDUCE_GROUPS_FIXED, .between = MS_REDUCE_BETWEEN_HOST}},
  {"minmax-36",
   "Final variant with 36 groups, the best of the HD 5850",
   "MM",
   {SIZED(8, 36, 256, 64), .tree = MS_REDUCE_TREE_DIVERGENCE_FREE, .bank_conflict_saving = 1, .builtin = 1,
    .groups = MS_REDUCE_GROUPS_FIXED, .between = MS_REDUCE_BETWEEN_HOST}},
  {"minmax-28",
   "Final variant with 28 groups of 512, as on the C2050",
   "MM",
   {SIZED(8, 28, 512, 64), .tree = MS_REDUCE_TREE_DIVERGENCE_FREE, .bank_conflict_saving = 1, .builtin = 1,
    .groups = MS_REDUCE_GROUPS_FIXED, .between = MS_REDUCE_BETWEEN_HOST}},
  {"swap-plain",
   "The interleaved tree with thread swapping over the whole group",
   "BD",
   {SIZED(1, 1, 256, 256), .times = 1, .swap = MS_SWAP_PLAIN, .between = MS_REDUCE_BETWEEN_HOST}},
  {"swap-refined",
   "The same with every element at its work-item's own place",
   "BD",
   {SIZED(1, 1, 256, 256), .times = 1, .swap = MS_SWAP_REFINED, .between = MS_REDUCE_BETWEEN_HOST}},
  {"last-group",
   "Loads of 4 over a fixed grid; the group that comes last finishes, in one launch",
   "",
   {SIZED(4, 4, 256, 64), .tree = MS_REDUCE_TREE_COMPLETELY_UNROLL, .bank_conflict_saving = 1, .builtin = 1,
    .groups = MS_REDUCE_GROUPS_UNITS, .between = MS_REDUCE_BETWEEN_LAST_GROUP}},
};

/** ms_reduce_presets: (transfer none): the named variants; the first is auto. */
const MsReducePreset *
ms_reduce_presets(guint *n_rows)
{
  *n_rows = G_N_ELEMENTS(presets);
  return presets;
}

/** ms_reduce_preset_find: (transfer none) (nullable): the preset of that name. */
const MsReducePreset *
ms_reduce_preset_find(const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS(presets); i++)
    if (strcmp(presets[i].name, name) == 0)
      return &presets[i];
  return NULL;
}

/** ms_reduce_preset_match: (transfer none) (nullable): the name of the preset that these options are. */
const char *
ms_reduce_preset_match(const MsReduceOptions *options)
{
  for (guint i = 0; i < G_N_ELEMENTS(presets); i++)
    if (ms_reduce_options_equal(&presets[i].options, options))
      return presets[i].name;
  return NULL;
}
