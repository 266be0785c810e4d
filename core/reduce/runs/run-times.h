/* SPDX-License-Identifier: MIT */
/* Times of the repeated runs of --reduce: collected run by run, summarised and reported. */
#pragma once

#include <json-glib/json-glib.h>

#include "core/opencl/context.h"

G_BEGIN_DECLS

/**
 * MsRunTimes:
 * @kernel_ms: (element-type double): device time of the kernels of each run; @wall_ms: its wall time
 */
typedef struct {
  GArray *kernel_ms;
  GArray *wall_ms;
} MsRunTimes;

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

void ms_run_times_init(MsRunTimes *self);
void ms_run_times_clear(MsRunTimes *self);
void ms_run_times_add(MsRunTimes *self, double kernel_ms, double wall_ms);
MsRunSummary ms_run_times_summarise(MsRunTimes *self, MsContext *context, guint64 bytes);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(MsRunTimes, ms_run_times_clear)

void ms_run_text_add(GString *text, const char *name, const char *format, ...) G_GNUC_PRINTF(3, 4);
void ms_run_summary_add_text(const MsRunSummary *self, GString *text);
void ms_run_summary_add_json(const MsRunSummary *self, JsonBuilder *builder);

G_END_DECLS
