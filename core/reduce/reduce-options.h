/* SPDX-License-Identifier: MIT */
/*
 * MsReduceOptions: how a reduction is computed, the table that describes each field, the variants of the studies by
 * name, and the text of --variant: a name and the options that differ from it, as in "minmax-36,vector=4".
 */
#pragma once

#include "core/factors.h"
#include "core/option/option.h"
#include "core/reduce/operators.h"

typedef enum {
  MS_REDUCE_STORAGE_BUFFER,
  MS_REDUCE_STORAGE_IMAGE,
} MsReduceStorage;

typedef enum {
  MS_REDUCE_STRIDE_GLOBAL,
  MS_REDUCE_STRIDE_LOCAL,
  MS_REDUCE_STRIDE_BLOCK,
} MsReduceStride;

typedef enum {
  MS_REDUCE_TREE_NAIVE,
  MS_REDUCE_TREE_DIVERGENCE_FREE,
  MS_REDUCE_TREE_COMPLETELY_UNROLL,
  MS_REDUCE_TREE_FOUR_WAY,
} MsReduceTree;

typedef enum {
  MS_REDUCE_GROUPS_SIZE,
  MS_REDUCE_GROUPS_UNITS,
  MS_REDUCE_GROUPS_FIXED,
} MsReduceGroups;

typedef enum {
  MS_REDUCE_BETWEEN_RECURSIVE,
  MS_REDUCE_BETWEEN_HOST,
  MS_REDUCE_BETWEEN_ATOMIC,
  MS_REDUCE_BETWEEN_LAST_GROUP,
} MsReduceBetween;

typedef enum {
  MS_SWAP_OFF,
  MS_SWAP_PLAIN,
  MS_SWAP_REFINED,
} MsSwap;

typedef enum {
  MS_ACCUMULATOR_EXACT,
  MS_ACCUMULATOR_32_BIT,
} MsAccumulator;

typedef enum {
  MS_REDUCE_WAIT_EVENT,
  MS_REDUCE_WAIT_READ,
  MS_REDUCE_WAIT_FINISH,
} MsReduceWait;

/**
 * MsReduceOptions: how a reduction is computed; every field but the first is a row of the table.
 * @automatic: 1 when the plan chooses everything for the device; the other fields are then ignored
 * @storage: an #MsReduceStorage
 * @vector: elements of one load: 1, 4, 8 or 16
 * @stride: an #MsReduceStride: how the loads of one work-item are spaced
 * @times: loads a work-item folds when @groups is by size; 0 lets the plan choose
 * @tree: an #MsReduceTree inside the work-group
 * @bank_conflict_saving: 1: at each level only the upper half writes to local memory
 * @vector_partials: 1: partials are vectors in local memory, whose lanes are folded after the tree; 0: before it
 * @builtin: 1: the built-in min and max, 0: comparisons
 * @groups: an #MsReduceGroups
 * @groups_count: groups of a fixed number, or the k of compute units x k
 * @between: an #MsReduceBetween: how the groups' partials become one
 * @work_group: work-items of a group
 * @swap: an #MsSwap of the naive tree
 * @swap_range: work-items that may change places
 * @accumulator: an #MsAccumulator: whether sums of integers are exact, or modulo 2^32 as the studies' are
 * @wait: an #MsReduceWait: how the host waits for the result
 */
typedef struct {
  int automatic;
  int storage;
  int vector;
  int stride;
  int times;
  int tree;
  int bank_conflict_saving;
  int vector_partials;
  int builtin;
  int groups;
  int groups_count;
  int between;
  int work_group;
  int swap;
  int swap_range;
  int accumulator;
  int wait;
} MsReduceOptions;

extern const MsOptionTable ms_reduce_options;

const MsOptionInfo *ms_reduce_option_find(const char *name);
MsReduceOptions ms_reduce_options_auto(void);
gboolean ms_reduce_options_equal(const MsReduceOptions *a, const MsReduceOptions *b);

/**
 * MsReducePreset: a variant with a name, stated by its differences from the defaults.
 * @source: the study, as cited in the reports: "MM", "PCL", "BD" or "" for a variant of this program
 * @settings: (nullable): the options that differ from the table's defaults, as in "times=32,stride=local"; %NULL where
 *   the plan chooses everything
 */
typedef struct {
  const char *name;
  const char *help;
  const char *source;
  const char *settings;
} MsReducePreset;

const MsReducePreset *ms_reduce_presets(guint *n_rows);
MsReduceOptions ms_reduce_preset_options(const MsReducePreset *self);

gboolean ms_reduce_variant_parse(const char *text, MsReduceOptions *options, GError **error);
gboolean ms_reduce_variant_check_used(const char *text, const MsReduceSpec *spec, GError **error);
char *ms_reduce_variant_to_string(const MsReduceOptions *options, const MsReduceSpec *spec);

gboolean ms_reduce_from_factors(const MsFactors *factors, MsReduceSpec *spec, MsReduceOptions *options, guint64 *n,
                                GError **error);
