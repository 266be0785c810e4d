/* SPDX-License-Identifier: MIT */
/* The experiment that the page Compare runs, made from the chosen toggles and values. */
#pragma once

#include "core/filter/settings/options.h"
#include "core/lab/experiment/experiment.h"

/** MsCompareMode: whether each value is changed alone or every combination is measured. */
typedef enum {
  MS_COMPARE_ONE_AT_A_TIME,
  MS_COMPARE_ALL_COMBINATIONS,
} MsCompareMode;

/** MsCompareChoice: the values to try of one toggle; a toggle with fewer than two does not vary. */
typedef struct {
  const MsOptionInfo *option;
  GStrv values;
} MsCompareChoice;

GArray *ms_compare_choices_new(void);
void ms_compare_choices_add(GArray *choices, const MsOptionInfo *option, const char *const *values);
MsExperiment *ms_compare_experiment(const MsSettings *current, GArray *choices, MsCompareMode mode);
guint ms_compare_count(const MsSettings *current, GArray *choices, MsCompareMode mode);
