/* SPDX-License-Identifier: MIT */
/* One reduction or histogram of a generated array, checked against the serial code and timed: the --reduce command. */
#pragma once

#include <json-glib/json-glib.h>

#include "core/lab/measure/measurement.h"
#include "core/reduce/reduce.h"

/**
 * MsReduceRunRequest:
 * @n: elements of the generated array
 * @repeat: timed runs, at least 1; the median is the headline
 */
typedef struct {
  MsReduceSpec spec;
  MsReduceOptions options;
  guint64 n;
  guint repeat;
} MsReduceRunRequest;

/**
 * MsArrayRun: the result of a request; times are of the timed runs, on data that is already on the device, and NaN
 * after a wrong result, which is not timed, and where the driver tells none.
 * @agrees: whether the result equals that of the serial code (floating-point sums: within 1e-6 relative)
 * @reduce: the request of a reduction, with @options as resolved by the plan
 * @chosen_by: who chose them: "caller" or "program"
 * @result: of a reduction, as text; @reference: that of the serial code, which took @serial_ms of wall time
 * @untimed: (nullable): why the driver's times are unknown
 * @by_wall_clock: whether the kernels are timed by the host's clock, since the driver's events give no times
 * @gb_per_s: array bytes over @median_ms, in 10^9 bytes a second
 * @peak_share: @gb_per_s over the device's measured read bandwidth, NaN when that could not be measured
 */
typedef struct {
  char *device;
  gboolean agrees;
  MsReduceRunRequest reduce;
  const char *chosen_by;
  char *result;
  char *reference;
  double serial_ms;
  guint repeat;
  char *untimed;
  gboolean by_wall_clock;
  double median_ms;
  double min_ms;
  double max_ms;
  double wall_ms;
  double gb_per_s;
  double peak_share;
} MsArrayRun;

MsArrayRun *ms_reduce_run(MsContext *context, const MsReduceRunRequest *request, GCancellable *cancellable,
                          GError **error);
void ms_array_run_free(MsArrayRun *self);
char *ms_array_run_to_text(const MsArrayRun *self);
void ms_array_run_add_json(const MsArrayRun *self, JsonBuilder *builder);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(MsArrayRun, ms_array_run_free)
