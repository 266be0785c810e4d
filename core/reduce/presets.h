/* SPDX-License-Identifier: MIT */
/* MsReducePreset: the reduction variants of the studies by name, each stated by its differences from the defaults. */
#pragma once

#include "core/reduce/reduce-options.h"

/**
 * MsReducePreset: a variant with a name.
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
