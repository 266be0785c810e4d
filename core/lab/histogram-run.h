/* SPDX-License-Identifier: MIT */
/* One histogram of a generated array, checked against the serial counts and timed: --reduce histogram. */
#pragma once

#include <json-glib/json-glib.h>

#include "core/lab/run-summary.h"
#include "core/reduce/runs/array-histogram.h"

/** MsHistogramRunRequest: @n generated elements, counted @repeat times (at least once); @seed of the values. */
typedef struct {
  MsArrayHistogramSpec spec;
  guint64 n;
  guint repeat;
  guint32 seed;
} MsHistogramRunRequest;

/** MsHistogramRun: the device's @counts, and whether every one of them equals the serial one. */
typedef struct {
  MsHistogramRunRequest request;
  MsArrayHistogram *counts;
  gboolean agrees;
  MsRunSummary times;
  char *device;
} MsHistogramRun;

gboolean ms_histogram_range_parse(const char *text, MsElementType type, double *low, double *high, GError **error);

MsHistogramRun *ms_histogram_run(MsContext *context, const MsHistogramRunRequest *request, GCancellable *cancellable,
                                 GError **error);
void ms_histogram_run_free(MsHistogramRun *self);
char *ms_histogram_run_to_text(const MsHistogramRun *self);
void ms_histogram_run_add_json(const MsHistogramRun *self, JsonBuilder *builder);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(MsHistogramRun, ms_histogram_run_free)
