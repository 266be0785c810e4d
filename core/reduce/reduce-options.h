/* SPDX-License-Identifier: MIT */
/* The descriptor table of reduction variants, and the named presets of the studies as rows of data. */
#pragma once

#include "core/error.h"

G_BEGIN_DECLS

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
  MS_FLOAT_SUM_AUTO,
  MS_FLOAT_SUM_DOUBLE,
  MS_FLOAT_SUM_COMPENSATED,
} MsFloatSum;

typedef enum {
  MS_PACKED_AUTO,
  MS_PACKED_OFF,
  MS_PACKED_ON,
} MsPacked;

/**
 * MsReduceOptions: how a reduction is computed; every field is a row of the table.
 * @automatic: 1 when the plan chooses everything for the device; the other fields then say nothing
 * @storage: an #MsReduceStorage
 * @vector: elements of one load: 1, 4, 8 or 16
 * @stride: an #MsReduceStride: how the loads of one work-item are spaced
 * @times: loads a work-item folds when @groups is by size; 0 lets the plan choose
 * @tree: an #MsReduceTree inside the work-group
 * @bank_conflict_saving: 1: at each level only the upper half writes to local memory
 * @builtin: 1: the built-in min and max, 0: comparisons
 * @groups: an #MsReduceGroups
 * @groups_count: groups of a fixed number, or the k of compute units x k
 * @between: an #MsReduceBetween: how the groups' partials become one
 * @work_group: work-items of a group
 * @swap: an #MsSwap of the naive tree
 * @swap_range: work-items that may change places
 * @float_sum: an #MsFloatSum
 * @packed: an #MsPacked: whether bytes are counted or compared four at a time, and small squares summed load by load
 */
typedef struct {
  int automatic;
  int storage;
  int vector;
  int stride;
  int times;
  int tree;
  int bank_conflict_saving;
  int builtin;
  int groups;
  int groups_count;
  int between;
  int work_group;
  int swap;
  int swap_range;
  int float_sum;
  int packed;
} MsReduceOptions;

/**
 * MsReduceOptionInfo: one row of the table.
 * @name: as in --variant PRESET,name=value
 * @json: the field in reports
 * @values: (nullable): the names of a choice, %NULL-terminated; %NULL for a whole number from @minimum to @maximum
 * @numeric_values: whether the names are the numbers that are stored
 */
typedef struct {
  const char *name;
  const char *json;
  const char *label;
  const char *argument;
  const char *help;
  const char *const *values;
  gboolean numeric_values;
  int minimum;
  int maximum;
  gsize offset;
} MsReduceOptionInfo;

/**
 * MsReducePreset: a variant with a name.
 * @source: the study, as cited in the reports: "MM", "PCL", "BD" or "" for our own
 */
typedef struct {
  const char *name;
  const char *help;
  const char *source;
  MsReduceOptions options;
} MsReducePreset;

const MsReduceOptionInfo *ms_reduce_options_table(guint *n_rows);
const MsReduceOptionInfo *ms_reduce_option_find(const char *name);
gboolean ms_reduce_option_set_text(const MsReduceOptionInfo *self, MsReduceOptions *options, const char *text,
                                   GError **error);
char *ms_reduce_option_get_text(const MsReduceOptionInfo *self, const MsReduceOptions *options);
int ms_reduce_option_get(const MsReduceOptionInfo *self, const MsReduceOptions *options);

const MsReducePreset *ms_reduce_presets(guint *n_rows);
const MsReducePreset *ms_reduce_preset_find(const char *name);
const char *ms_reduce_preset_match(const MsReduceOptions *options);

MsReduceOptions ms_reduce_options_auto(void);
gboolean ms_reduce_options_parse(const char *variant, MsReduceOptions *options, GError **error);
char *ms_reduce_options_to_string(const MsReduceOptions *self);
gboolean ms_reduce_options_equal(const MsReduceOptions *a, const MsReduceOptions *b);

G_END_DECLS
