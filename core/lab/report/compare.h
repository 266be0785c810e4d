/* SPDX-License-Identifier: MIT */
/* Compares a report with an earlier one, configuration by configuration: which became faster, which slower. */
#pragma once

#include "core/lab/report/report.h"

/** MsComparisonRow: @note: (nullable): why there is no ratio. */
typedef struct {
  char *label;
  MsFactors *factors;
  double baseline_ns;
  double current_ns;
  MsSpeedup speedup;
  char *note;
} MsComparisonRow;

/**
 * MsComparison:
 * @warning: (nullable): a sentence when the two reports come from different devices, drivers or scales
 */
typedef struct {
  char *experiment;
  char *warning;
  GPtrArray *rows;
  guint faster;
  guint slower;
  guint same;
  guint uncertain;
  guint missing;
} MsComparison;

MsComparison *ms_compare_reports(const MsReport *baseline, const MsReport *current, double noise);
void ms_comparison_free(MsComparison *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(MsComparison, ms_comparison_free)
char *ms_comparison_to_text(const MsComparison *self);

GPtrArray *ms_compare_all(GPtrArray *baseline, GPtrArray *reports, double noise);
guint ms_comparisons_judged(GPtrArray *comparisons);
gboolean ms_comparisons_slower(GPtrArray *comparisons);
