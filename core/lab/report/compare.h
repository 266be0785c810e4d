/* SPDX-License-Identifier: MIT */
/* Compares a report with an earlier one, configuration by configuration: what got faster, what got slower. */
#pragma once

#include "core/lab/report/report.h"

G_BEGIN_DECLS

/** MsComparisonRow: @speedup is of the new figure over the old; @note says why when there is no verdict. */
typedef struct {
  char *label;
  MsFactors *factors;
  double baseline_ns;
  double current_ns;
  MsSpeedup speedup;
  char *note;
} MsComparisonRow;

/**
 * MsComparison: @warning: (nullable): a sentence when the two reports come from different devices, drivers or
 * scales.
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
JsonNode *ms_comparison_to_json_node(const MsComparison *self);

G_END_DECLS
