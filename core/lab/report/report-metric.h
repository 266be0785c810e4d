/* SPDX-License-Identifier: MIT */
/* MsMetric: the values derived from a row of a report, by name. */
#pragma once

#include "core/lab/report/report.h"

/** MsMetric: a value derived from a row; @ns_factor: converts nanoseconds into its unit, 0 when it is not a time. */
typedef struct {
  const char *name;
  const char *title;
  const char *unit;
  double ns_factor;
  double (*value)(const MsReport *report, const MsReportRow *row);
} MsMetric;

/**
 * ms_metric_columns: the names of the metrics that are columns of the CSV file. Those from MS_N_USUAL_METRICS on are in
 * the table only where the experiment plots them.
 */
#define MS_N_USUAL_METRICS 9
#define MS_N_METRIC_COLUMNS 15
extern const char *const ms_metric_columns[MS_N_METRIC_COLUMNS];

/**
 * ms_kernel_columns: the names of the metrics that are optional columns, each only where a row has a value: those of
 * occupancy, then those of instructions.
 */
#define MS_FIRST_INSTRUCTION_COLUMN 5
#define MS_N_KERNEL_COLUMNS 11
extern const char *const ms_kernel_columns[MS_N_KERNEL_COLUMNS];
extern const char *const ms_kernel_headings[MS_N_KERNEL_COLUMNS];

const MsMetric *ms_metric_find(const char *name);
double ms_published_in(const MsPublished *published, const char *metric);
double ms_report_row_metric(const MsReport *self, const MsReportRow *row, const char *metric);
gboolean ms_metric_is_of_kernel(const char *name);
gboolean ms_report_has_metric(const MsReport *self, const char *metric);
guint ms_report_kernel_columns(const MsReport *self);
const char *ms_metric_title(const char *metric, MsLanguage language);
