/* SPDX-License-Identifier: MIT */
/* Shared by the writers of a report: text, CSV, JSON, Markdown and chart. */
#pragma once

#include "core/factors-json.h"
#include "core/json.h"
#include "core/lab/report/report.h"

G_BEGIN_DECLS

#define MS_REPORT_FORMAT "meanshift-lab experiment report"
#define MS_REPORT_VERSION 1

/** MsMetric: a value derived from a row; @ns_factor: converts nanoseconds into its unit, 0 when it is not a time. */
typedef struct {
  const char *name;
  const char *title;
  const char *unit;
  double ns_factor;
  double (*value)(const MsReport *report, const MsReportRow *row);
} MsMetric;

const MsMetric *ms_metric_find(const char *name);
double ms_published_in(const MsPublished *published, const char *metric);

char *ms_report_published_text(const MsReportRow *row);

G_END_DECLS
