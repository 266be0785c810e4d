/* SPDX-License-Identifier: MIT */
/* Times of the repeated runs of --reduce, summarised and reported. */
#pragma once

#include <json-glib/json-glib.h>

#include "core/lab/measure/measurement.h"

/**
 * MsRunSummary: medians and extremes over the runs, in milliseconds.
 * @gb_per_s: array bytes over @median_ms, in 10^9 bytes a second
 * @peak_share: @gb_per_s over the device's measured read bandwidth, 0 when that could not be measured
 */
typedef struct {
  guint repeat;
  double median_ms;
  double min_ms;
  double max_ms;
  double wall_ms;
  double gb_per_s;
  double peak_share;
} MsRunSummary;

gboolean ms_run_check_outcome(const MsMeasurement *measurement, GError **error);
MsRunSummary ms_run_summary_of(const MsMeasurement *measurement, guint64 bytes, double peak_gb_per_s);
void ms_run_text_add(GString *text, const char *name, const char *format, ...) G_GNUC_PRINTF(3, 4);
void ms_run_summary_add_text(const MsRunSummary *self, GString *text);
void ms_run_summary_add_json(const MsRunSummary *self, JsonBuilder *builder);
