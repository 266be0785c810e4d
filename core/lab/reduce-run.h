/* SPDX-License-Identifier: MIT */
/* One reduction over a generated array, checked against the serial result and timed: the --reduce command. */
#pragma once

#include <json-glib/json-glib.h>

#include "core/lab/run-summary.h"
#include "core/reduce/reduce.h"

/**
 * MsReduceRunRequest:
 * @n: elements of the generated array
 * @repeat: timed runs, at least 1; the median is the headline
 * @tuned: whether @options were found by a search on this device; reports say so
 */
typedef struct {
  MsReduceSpec spec;
  MsReduceOptions options;
  guint64 n;
  guint repeat;
  gboolean tuned;
} MsReduceRunRequest;

/**
 * MsReduceRun: the result of a request.
 * @options: as resolved by the plan
 * @chosen_by: who chose them: "caller", "program" or "tuning"
 * @result: as text; @reference: that of the serial code
 * @agrees: whether @result equals @reference (floating-point sums: within 1e-6 relative)
 * @times: of the timed runs, on data that is already on the device
 * @serial_ms: wall time of the serial code
 */
typedef struct {
  MsReduceSpec spec;
  MsReduceOptions options;
  const char *chosen_by;
  guint64 n;
  guint64 bytes;
  char *result;
  char *reference;
  gboolean agrees;
  MsRunSummary times;
  double serial_ms;
  char *device;
} MsReduceRun;

MsReduceRun *ms_reduce_run(MsContext *context, const MsReduceRunRequest *request, GCancellable *cancellable,
                           GError **error);
void ms_reduce_run_free(MsReduceRun *self);
char *ms_reduce_run_to_text(const MsReduceRun *self);
void ms_reduce_run_add_json(const MsReduceRun *self, JsonBuilder *builder);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(MsReduceRun, ms_reduce_run_free)
