/* SPDX-License-Identifier: MIT */
/* The columns of a report's table, each with its title, value and text, for terminal, page, files and window. */
#pragma once

#include "core/lab/report/report-metric.h"

/** MsReportFormat: the tables, as bits. The terminal, the page and the window have the same columns. */
typedef enum {
  MS_FORMAT_TABLE = 1 << 0,
  MS_FORMAT_CSV = 1 << 1,
  MS_FORMAT_LATEX = 1 << 2,
} MsReportFormat;

typedef enum {
  MS_COLUMN_CONFIGURATION,
  MS_COLUMN_MEDIAN,
  MS_COLUMN_COUNT,
  MS_COLUMN_FIRST_RUN,
  MS_COLUMN_METRIC,
  MS_COLUMN_COMPARISON,
  MS_COLUMN_PUBLISHED,
  MS_COLUMN_RESULT,
  MS_COLUMN_OTHER,
} MsReportColumnId;

/**
 * MsReportColumn:
 * @formats: bits of #MsReportFormat: the tables that have it
 * @title: ms_text() translates it; in CSV as it is
 * @metric: (nullable): of %MS_COLUMN_METRIC
 * @value: (nullable): the number that a row has there, by which it is sorted; NAN for none
 * @text: (nullable): what is shown instead of that number; such a column is aligned as text
 */
typedef struct {
  MsReportColumnId id;
  guint formats;
  const char *title;
  const MsMetric *metric;
  double (*value)(const MsReportRow *row);
  char *(*text)(const MsReportRow *row, MsLanguage language);
} MsReportColumn;

char *ms_ratio_text(double ratio, double low, double high);
GArray *ms_report_columns(const MsReport *report, MsReportFormat format);
GArray *ms_report_kernel_columns(const MsReport *report, MsMetricKind kind);
double ms_report_column_value(const MsReportColumn *self, const MsReportRow *row);
char *ms_report_column_text(const MsReportColumn *self, const MsReportRow *row, MsLanguage language);
