/* SPDX-License-Identifier: MIT */
/* MsMetric: the values derived from a row of a report, by name. */
#pragma once

#include "core/lab/report/report.h"

/**
 * MsMetricKind: where a metric is a column, as bits.
 * @MS_METRIC_PLOTTED: nowhere, in charts only
 * @MS_METRIC_USUAL: in CSV, and in the table where a row has a value
 * @MS_METRIC_RARE: the same, but in the table only where the experiment plots it
 * @MS_METRIC_OCCUPANCY: where a row has a value; the driver tells it of kernels
 * @MS_METRIC_INSTRUCTIONS: the same, of their instructions
 */
typedef enum {
  MS_METRIC_PLOTTED = 1 << 0,
  MS_METRIC_USUAL = 1 << 1,
  MS_METRIC_RARE = 1 << 2,
  MS_METRIC_OCCUPANCY = 1 << 3,
  MS_METRIC_INSTRUCTIONS = 1 << 4,
} MsMetricKind;

/** MS_METRICS_OF_KERNEL: the optional columns. */
#define MS_METRICS_OF_KERNEL (MS_METRIC_OCCUPANCY | MS_METRIC_INSTRUCTIONS)

/**
 * MsMetric: a value derived from a row.
 * @title: of an axis
 * @heading: (nullable): of a column
 * @ns_factor: nanoseconds times this factor are the value in @unit; 0 for a value that is no time
 * @value: (nullable): of a row; %NULL for the time of a row, and for a metric of published values only
 */
typedef struct {
  const char *name;
  MsMetricKind kind;
  const char *title;
  const char *unit;
  const char *heading;
  double ns_factor;
  double (*value)(const MsReportRow *row);
} MsMetric;

const MsMetric *ms_metric_find(const char *name);
double ms_metric_value(const MsMetric *self, const MsReportRow *row);
GPtrArray *ms_report_find_metrics(const MsReport *report, guint kinds);
double ms_published_in(const MsPublished *published, const char *metric);
gboolean ms_report_row_is_peer(const MsReportRow *row);
double ms_report_row_metric(const MsReportRow *row, const char *metric);
gboolean ms_metric_is_of_kernel(const char *name);
gboolean ms_metric_is_of_energy(const char *name);
gboolean ms_report_has_metric(const MsReport *self, const MsMetric *metric);
const char *ms_metric_title(const char *metric, MsLanguage language);
